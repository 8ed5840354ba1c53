// The vendors' APIs on Patchbay: what an app calls, what goes over the wire, what comes back.

import Akula
import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import VendorServices

guard let arguments = Arguments(Array(CommandLine.arguments.dropFirst())) else {
    print(Arguments.usage)
    exit(2)
}
if arguments.wantsHelp {
    print(Arguments.usage)
    exit(0)
}
do {
    if let base = arguments.server {
        try await akulaTour(base: base, arguments: arguments, server: nil)
    } else {
        let service = AkulaService()
        let server = try LoopbackServer(service: service)
        print("An Akula server listens at \(server.url), in this process.")
        try await akulaTour(base: server.url(of: service.path).absoluteString, arguments: arguments, server: server)
        await server.stop()

        let oracle = try LoopbackServer(service: OracleService())
        print("\nA server for Oracle's mobile SDK listens at \(oracle.url), in this process.")
        try await oracleTour(oracle)
        await oracle.stop()

        print("\nA store on this machine, and a server that sends it what has changed.")
        try await storeTour()
    }
    print("\nThat was it. The code is in Examples/quickstart.")
} catch {
    print("\nquickstart stopped: \(error)")
    exit(1)
}
