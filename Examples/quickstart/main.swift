// Akula's API on Patchbay: what an app calls, what goes over the wire, what comes back.

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
        try await tour(base: base, arguments: arguments, server: nil)
    } else {
        let service = AkulaService()
        let server = try LoopbackServer(service: service)
        print("An Akula server listens at \(server.url), in this process.")
        try await tour(base: server.url(of: service.path).absoluteString, arguments: arguments, server: server)
        await server.stop()
    }
    print("\nThat was it. The code is in Examples/quickstart.")
} catch {
    print("\nquickstart stopped: \(error)")
    exit(1)
}
