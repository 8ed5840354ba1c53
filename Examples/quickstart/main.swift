// A tour of the client, the stores and the vendors' APIs: the code, the requests it sends, and the results.

import Akula
import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import VendorServices

let arguments: Arguments
do throws(Arguments.Problem) {
    arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
} catch {
    print("\(error) \n\n\(Arguments.usage)")
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
        if arguments.section == nil { print("The sections of this tour:\n\(Arguments.list)") }
        print("\n   | code of this tour    > a request, as the server received it    < a result")
        for section in Arguments.Section.allCases where arguments.section ?? section == section {
            try await tour(section)
        }
    }
    print("\nDone. The code is in Examples/quickstart.")
} catch {
    print("\nquickstart stopped: \(error)")
    exit(1)
}

func tour(_ section: Arguments.Section) async throws {
    switch section {
    case .http:
        try await httpTour()
    case .stores:
        try await notesTour()
        print("\nA local store, and a server that sends it changes.")
        try await storeTour()
    case .akula:
        let service = AkulaService()
        let server = try LoopbackServer(service: service)
        print("\nAn Akula server runs at \(server.url), in this process.")
        let base = try server.url(of: service.path).absoluteString
        try await server.stopping { try await akulaTour(base: base, arguments: arguments, server: $0) }
    case .oracle:
        let server = try LoopbackServer(service: OracleService())
        print("\nA server for Oracle's mobile SDK runs at \(server.url), in this process.")
        try await server.stopping { try await oracleTour($0) }
    case .mobilefirst:
        let server = try LoopbackServer(service: MobileFirstService())
        print("\nA MobileFirst server runs at \(server.url), in this process.")
        try await server.stopping { try await mobileFirstTour($0) }
    case .sap:
        var settings = SAPService.Configuration()
        settings.schemes = [.digest(.sha256), .basic]
        let server = try LoopbackServer(service: SAPService(settings))
        print("\nA SAP mobile server runs at \(server.url), in this process.")
        try await server.stopping { try await sapTour($0) }
    case .hyperhive:
        try await hyperHiveTour()
    }
}
