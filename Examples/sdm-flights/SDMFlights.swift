import ExampleSupport
import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import SDMConnectivity
import VendorServices

private struct Flight: Codable, Sendable {
    var ID: String  // swift-format-ignore: AlwaysUseLowerCamelCase
    var Seats: Int  // swift-format-ignore: AlwaysUseLowerCamelCase
}

/// A screen as apps for the vendor's SDK have it: a delegate, held weakly and called on the main queue.
private final class FlightScreen: SDMHttpRequestDelegate {
    private let closed: () -> Void

    init(closed: @escaping () -> Void) { self.closed = closed }

    func requestFinished(_ request: SDMHttpRequest) {
        // A response with a failed status is a finished request too.
        let isFeed = request.responseString?.contains("<feed") ?? false
        print("  status \(request.responseStatusCode), \(isFeed ? "a feed" : "no feed")")
        closed()
    }

    func requestFailed(_ request: SDMHttpRequest) {
        print("  failed:", request.error?.message ?? "unknown")
        closed()
    }
}

@main struct SDMFlights: Example {
    static let name = "sdm-flights"
    static let summary = "An app for SAP's SDMConnectivity: registration, OData, a change with CSRF token and ETag."
    static let requirements = """
        URL is a SAP Mobile Platform with an application com.example.flights and a proxy connection FlightProxy to an OData
        service whose set Flights has the properties ID and Seats, and a flight LH400. The user is PATCHBAY_USER, with
        PATCHBAY_PASSWORD.
        """

    static func startServer() throws -> LoopbackServer {
        var settings = SAPService.Configuration()
        settings.schemes = [.digest(.sha256), .basic]
        settings.requiresIfMatch = true
        return try LoopbackServer(service: SAPService(settings))
    }

    static func run(at server: String) async throws {
        guard let url = URL(string: server), let host = url.host() else { throw URLError(.badURL) }
        let connection = SMPClientConnection.initializeWithAppID(
            "com.example.flights", domain: nil, secConfiguration: nil)
        connection.setConnectionProfileWithHost(
            host, port: url.port.map(String.init), enableHTTP: url.scheme == "http")
        try await connection.register(user: user, password: password, properties: ["DeviceType": "iPhone"])
        print("Registered \(connection.applicationID).")

        print("The flights, for a delegate:")
        let all = request(server, "Flights?$top=2")
        await withCheckedContinuation { done in
            let screen = FlightScreen { done.resume() }
            all.setClientDelegate(screen)
            all.userInfo = ["screen": screen]  // Keeps the delegate alive, as the view hierarchy does in an app.
            all.startAsynchronous()
        }
        print("With async/await, typed:")
        let flights = try await request(server, "Flights").response().decoded(as: .odataCollection(Flight.self))
        print("  \(flights.values.map { "\($0.ID): \($0.Seats) seats" }.joined(separator: ", "))")

        // Each write needs a token that protects against cross-site requests; it is fetched and kept.
        SDMRequestBuilder.enableXCSRF(true)
        let flight = try await read(server)
        let status = try await write(server, seats: flight.value.Seats - 1, etag: flight.etag)
        print("A seat is booked: status \(status.code), \(try await read(server).value.Seats) seats left")

        print("Another one, with the ETag of before:")
        let conflict = try await write(server, seats: flight.value.Seats - 1, etag: flight.etag)
        if conflict == .preconditionFailed {
            // Another user may have changed the flight: read it, decide, and write again.
            let fresh = try await read(server)
            let status = try await write(server, seats: fresh.value.Seats - 1, etag: fresh.etag)
            print("  status \(conflict.code); read again: status \(status.code)")
        }

        print("A flight that does not exist:")
        do {
            _ = try await request(server, "Flights('XX1')").response().decoded(as: .odataEntry(Flight.self))
        } catch let error as ODataError {
            print("  \(error.document?.message ?? error.message)")
        }
        // Undo what this run has changed.
        let last = try await read(server)
        _ = try await write(server, seats: flight.value.Seats, etag: last.etag)
    }

    private static func request(_ server: String, _ path: String) -> SUPRequest {
        let request = SUPRequest(url: URL(string: "\(server)/FlightProxy/\(path)"))
        request.username = user
        request.password = password
        return request
    }

    private static func read(_ server: String) async throws -> ODataEntry<Flight> {
        try await request(server, "Flights('LH400')").response().decoded(as: .odataEntry(Flight.self))
    }

    private static func write(_ server: String, seats: Int, etag: String?) async throws -> HTTPStatus {
        let request = request(server, "Flights('LH400')")
        request.requestMethod = "MERGE"
        request.setEtag(etag ?? "*", with: .ifMatch)
        request.addRequestHeader("Content-Type", value: "application/json")
        request.appendPost(try JSONEncoder().encode(Flight(ID: "LH400", Seats: seats)))
        return try await request.response().status
    }
}
