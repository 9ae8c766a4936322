package dev.weir.proxy.admission;

/** The places of an event loop's admission that requests have now. */
public final class KeptPlaces {
  private KeptPlaces() {}

  /** Places of requests that wait for their verdict. */
  public static int parked(AdmissionHandler admission) {
    return admission.parked.count();
  }

  /** Records of charges that may have to be given back. */
  public static int refundSlips(AdmissionHandler admission) {
    return admission.refundSlips.takenCount();
  }
}
