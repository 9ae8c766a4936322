// Knows nothing but an address: asks for the services and their methods, makes clients of what reflection tells, and calls
// each once; then calls one by the client's own helper, and asks for a type's extensions. Writes a line for each. Usage:
// node reflect.js PORT
'use strict';

const grpc = require('@grpc/grpc-js');
const { GrpcReflection, serviceHelper } = require('grpc-js-reflection-client');

const address = `127.0.0.1:${process.argv[2]}`;
const credentials = grpc.credentials.createInsecure();
const requests = {
  'weir.v1.RateLimiter': ['CheckRateLimit', { identifier: 'ann', dimension: 'USER', endpoint: '/orders' }],
  'envoy.service.ratelimit.v3.RateLimitService': [
    'ShouldRateLimit',
    { domain: 'edge', descriptors: [{ entries: [{ key: 'user', value: 'ann' }] }] },
  ],
  'grpc.health.v1.Health': ['Check', {}],
};

function call(reflection, service) {
  return reflection.getDescriptorBySymbol(service).then((descriptor) => {
    const options = { keepCase: true, enums: String, longs: String, defaults: true };
    const Client = service.split('.').reduce((at, name) => at[name], descriptor.getPackageObject(options));
    const client = new Client(address, credentials);
    return answerOf(client, service);
  });
}

function answerOf(client, service) {
  const [method, request] = requests[service];
  return new Promise((resolve) => {
    client[method](request, { deadline: Date.now() + 30_000 }, (fault, answer) => {
      client.close();
      resolve(fault ? { fault: fault.message } : answer);
    });
  });
}

function help(servicePath) {
  return serviceHelper({
    host: address,
    servicePath,
    proto_symbol: servicePath,
    credentials,
    protoLoaderOptions: { keepCase: true, enums: String, longs: String, defaults: true },
  });
}

async function main() {
  for (const version of ['v1', 'v1alpha']) {
    const reflection = new GrpcReflection(address, credentials, {}, version);
    for (const service of (await reflection.listServices('*')).sort()) {
      const methods = (await reflection.listMethods(service)).map((method) => method.name).sort();
      console.log(`${version} ${service}: ${methods.join(' ')}`);
      console.log(JSON.stringify(await call(reflection, service)));
    }
  }
  const service = 'weir.v1.RateLimiter';
  console.log(JSON.stringify(await answerOf(await help(service), service)));
  const reflection = new GrpcReflection(address, credentials);
  console.log(JSON.stringify(await reflection.getAllExtensionNumbersOfType('weir.v1.CheckRateLimitRequest')));
}

main().then(
  () => process.exit(0),
  (fault) => {
    console.log(fault);
    process.exit(1);
  },
);
