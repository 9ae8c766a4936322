package dev.weir.proxy.decision.http;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.TurnEnd;
import dev.weir.proxy.request.DecisionObserver;

/** The parts that all calls and requests of the decision API share on one event loop. */
public record DecisionParts(
    Tokens tokens,
    DecisionObserver observer,
    LoopClock clock,
    Deadlines deadlines,
    TurnEnd turnEnd) {}
