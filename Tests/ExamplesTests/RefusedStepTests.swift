import ExampleSupport
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import VendorServices

@testable import akula_orders
@testable import hyperhive_stock
@testable import mobilefirst_account
@testable import oracle_events
@testable import sdm_flights
@testable import stock_sync

/// Runs examples against servers that refuse something, or have been used before.
@Suite(.needsSlot, .enabled(if: BuiltProducts.contains(AkulaOrders.name))) struct RefusedStepTests {
    /// Runs an example against a service.
    private func run<Program: Example>(
        _ program: Program.Type, _ service: some HTTPService, path: String = Program.path
    ) async throws -> (ChildProcess.Ending, String) {
        try await LoopbackServer(service: service).stopping { server in
            try await ExampleProcess.run(program.name, "--server", server.url.absoluteString + path)
        }
    }

    /// A service that refuses the requests that `isRefused` names.
    private func refusing(
        _ service: some HTTPService, _ status: HTTPStatus, _ isRefused: @escaping @Sendable (HTTPRequest) -> Bool
    ) -> ClosureService {
        ClosureService { request in
            isRefused(request) ? request.response(status) : try await service.respond(to: request)
        }
    }

    private static let flights: SAPService.Configuration = {
        var settings = SAPService.Configuration()
        settings.schemes = [.digest(.sha256), .basic]
        settings.requiresIfMatch = true
        return settings
    }()

    @Test(arguments: [.forbidden, .internalServerError] as [HTTPStatus])
    func `a write that the server refuses ends sdm-flights, which leaves no registration`(
        status: HTTPStatus
    ) async throws {
        let service = SAPService(Self.flights)
        let (ending, output) = try await run(
            SDMFlights.self, refusing(service, status) { $0.method.description == "MERGE" })
        #expect(ending == .exited(1) && !output.contains("A seat is booked"), "\(output)")
        #expect(service.counts.registrations == 1 && service.connections.isEmpty)
    }

    @Test func `an entry without an ETag is not written`() async throws {
        let service = SAPService(Self.flights)
        let (ending, output) = try await run(
            SDMFlights.self,
            ClosureService { request in
                var response = try await service.respond(to: request)
                let text = String(decoding: response.body, as: UTF8.self)
                let bare = text.replacingOccurrences(
                    of: #"\s(m:)?etag="[^"]*""#, with: "", options: .regularExpression)
                response.body = Data(bare.utf8)
                response.head.fields[.etag] = nil
                return response
            })
        #expect(ending == .exited(1) && output.contains("no ETag"), "\(output)")
        #expect(service.flights["LH400"]?["Seats"] == "350")
    }

    @Test func `seats are released, and others keep theirs`() async throws {
        let service = SAPService(Self.flights)
        let writes = Mutex(0)
        let (ending, output) = try await run(
            SDMFlights.self,
            ClosureService { request in
                let response = try await service.respond(to: request)
                let number = writes.withLock { writes in
                    if request.method.description == "MERGE" { writes += 1 }
                    return writes
                }
                // Another user books ten seats after the first booking.
                if number == 1, request.method.description == "MERGE" {
                    service.changeFlight("LH400", ["Seats": "339"])
                }
                return response
            })
        #expect(ending == .exited(0) && output.contains("A seat is booked: 339 seats left"), "\(output)")
        #expect(service.flights["LH400"]?["Seats"] == "340" && service.connections.isEmpty)
    }

    @Test func `seats are released after an error`() async throws {
        let service = SAPService(Self.flights)
        let writes = Mutex(0)
        let (ending, output) = try await run(
            SDMFlights.self,
            refusing(service, .internalServerError) { request in
                guard request.method.description == "MERGE" else { return false }
                return writes.withLock { writes in
                    writes += 1
                    return writes == 3
                }
            })
        #expect(ending == .exited(1) && output.contains("A seat is booked: 349 seats left"), "\(output)")
        #expect(service.flights["LH400"]?["Seats"] == "350" && service.connections.isEmpty)
    }

    @Test func `registration and data use the path of the server's URL`() async throws {
        let service = SAPService(Self.flights)
        let path = "/ias_relay_server/client/rs_client.dll/\(Self.flights.farmID)"
        let isBelow = Mutex(true)
        let (ending, output) = try await run(
            SDMFlights.self,
            ClosureService { request in
                if !request.url.path().hasPrefix(path) { isBelow.withLock { $0 = false } }
                return try await service.respond(to: request)
            }, path: path)
        #expect(ending == .exited(0) && isBelow.withLock { $0 }, "\(output)")
    }

    @Test func `a list that cannot be had ends akula-orders and sdm-flights`() async throws {
        let orders = refusing(AkulaService(path: AkulaOrders.path), .internalServerError) {
            $0.method == .get && $0.url.path().hasSuffix("/data/items")
        }
        let flights = refusing(SAPService(Self.flights), .internalServerError) { $0.url.query() == "$top=2" }
        for (ending, output) in [
            try await run(AkulaOrders.self, orders), try await run(SDMFlights.self, flights),
        ] {
            #expect(ending == .exited(1) && !output.contains("done\n"), "\(output)")
        }
    }

    @Test func `an event that the server does not take, or a wrong one that it takes, ends oracle-events`() async throws
    {
        // The first event is the one in gzip.
        let service = OracleService()
        let refused = refusing(service, .forbidden) { $0.fields[.contentEncoding] == "gzip" }
        let careless = ClosureService { request in
            let response = try await service.respond(to: request)
            return response.status == .badRequest ? request.response(json: ["accepted": 0]) : response
        }
        for (ending, output) in [
            try await run(OracleEvents.self, refused), try await run(OracleEvents.self, careless),
        ] {
            #expect(ending == .exited(1) && !output.contains("A server that is not there"), "\(output)")
        }
    }

    @Test func `a call that fails ends mobilefirst-account`() async throws {
        let (ending, output) = try await run(MobileFirstAccount.self, ClosureService { $0.response(.notFound) })
        #expect(ending == .exited(1) && !output.contains("With async/await"), "\(output)")
    }

    @Test func `changes that leave the list as it was end stock-sync, which restores what it changes`() async throws {
        let service = RowService(
            table: "article",
            rows: [
                ["id": "LAMP", "name": "Lamp", "price": 24.5, "count": 8],
                ["id": "ROPE", "name": "Rope", "price": 9, "count": 30],
            ])
        var outputs: [String] = []
        for _ in 1...2 {
            let (ending, output) = try await run(StockSync.self, service)
            #expect(ending == .exited(0), "\(output)")
            outputs.append(output)
        }
        #expect(outputs[0] == outputs[1] && outputs[0].contains(#"On screen: ["Lamp"]"#))
        #expect(service.row("ROPE")?["count"] == 30)
    }

    @Test func `a login for a real server is the user's, and no other`() async throws {
        try await AkulaOrders.startServer().stopping { server in
            let (ending, output) = try await ExampleProcess.run(
                AkulaOrders.name, "--server", AkulaOrders.url(of: server), login: false)
            #expect(ending == .exited(1) && output.contains("PATCHBAY_USER is not set"), "\(output)")
        }
    }
}
