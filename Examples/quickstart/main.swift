// A tour of the vendors' APIs on Patchbay: the app's calls, the requests they send, and the results.

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
    if arguments.section == .store {
        try await notesTour()
    } else if arguments.section == .hyperhive {
        try await hyperHiveTour()
    } else if let base = arguments.server {
        try await akulaTour(base: base, arguments: arguments, server: nil)
    } else {
        let service = AkulaService()
        let server = try LoopbackServer(service: service)
        print("An Akula server runs at \(server.url), in this process.")
        try await akulaTour(base: server.url(of: service.path).absoluteString, arguments: arguments, server: server)
        await server.stop()

        let oracle = try LoopbackServer(service: OracleService())
        print("\nA server for Oracle's mobile SDK runs at \(oracle.url), in this process.")
        try await oracleTour(oracle)
        await oracle.stop()

        let mobileFirst = try LoopbackServer(service: MobileFirstService())
        print("\nA MobileFirst server runs at \(mobileFirst.url), in this process.")
        try await mobileFirstTour(mobileFirst)
        await mobileFirst.stop()

        var settings = SAPService.Configuration()
        settings.schemes = [.digest(.sha256), .basic]
        let sap = try LoopbackServer(service: SAPService(settings))
        print("\nA SAP mobile server runs at \(sap.url), in this process.")
        try await sapTour(sap)
        await sap.stop()

        try await hyperHiveTour()

        try await notesTour()

        print("\nA local store, and a server that sends it changes.")
        try await storeTour()
    }
    print("\nDone. The code is in Examples/quickstart.")
} catch {
    print("\nquickstart stopped: \(error)")
    exit(1)
}
