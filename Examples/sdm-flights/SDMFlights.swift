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
        // The screen of an app shows `request.error`.
        closed()
    }
}

@main struct SDMFlights: Example {
    static let name = "sdm-flights"
    static let summary = "An app for SAP's SDMConnectivity: registration, OData, a change with CSRF token and ETag."
    static let requirements = """
        URL is a SAP Mobile Platform with an application com.example.flights and a proxy connection FlightProxy to an OData
        service whose set Flights has the properties ID and Seats, and a flight LH400. The user is PATCHBAY_USER, with
        PATCHBAY_PASSWORD. A run registers, books two seats, and undoes both.
        """

    static func startServer() throws -> LoopbackServer {
        var settings = SAPService.Configuration()
        settings.schemes = [.digest(.sha256), .basic]
        settings.requiresIfMatch = true
        return try LoopbackServer(service: SAPService(settings))
    }

    static func run(at server: String) async throws {
        let connection = SMPClientConnection.initializeWithAppID(
            "com.example.flights", domain: nil, secConfiguration: nil)
        guard connection.setConnectionProfileWithUrl(server) else { throw URLError(.badURL) }
        try await connection.register(user: try user, password: try password, properties: ["DeviceType": "iPhone"])
        print("Registered \(connection.applicationID).")
        do {
            try await show(server)
            try await change(server)
        } catch {
            try? await connection.delete()
            throw error
        }
        // An app stays registered until its user leaves it.
        try await connection.delete()
    }

    /// Shows the flights, in both ways.
    private static func show(_ server: String) async throws {
        print("The flights, for a delegate:")
        let all = try request(server, "Flights?$top=2")
        await withCheckedContinuation { done in
            let screen = FlightScreen { done.resume() }
            all.setClientDelegate(screen)
            all.userInfo = ["screen": screen]  // Keeps the delegate alive, as the view hierarchy does in an app.
            all.startAsynchronous()
        }
        if let error = all.error { throw error }
        guard all.responseStatusCode == 200 else { throw Unexpected("The server does not list the flights.") }
        print("With async/await, typed:")
        let flights = try await request(server, "Flights").response().decoded(as: .odataCollection(Flight.self))
        print("  \(flights.values.map { "\($0.ID): \($0.Seats) seats" }.joined(separator: ", "))")

        print("A flight that does not exist:")
        do {
            _ = try await request(server, "Flights('XX1')").response().decoded(as: .odataEntry(Flight.self))
            throw Unexpected("There is a flight XX1.")
        } catch let error as ODataError where error.statusCode == 404 {
            print("  \(error.document?.message ?? error.message)")
        }
    }

    /// Books seats, and releases them, also after an error.
    private static func change(_ server: String) async throws {
        // Each write needs a token that protects against cross-site requests; it is fetched and kept.
        SDMRequestBuilder.enableXCSRF(true)
        var booked = 0
        do {
            try await book(server, &booked)
        } catch {
            try? await release(booked, server)
            throw error
        }
        try await release(booked, server)
    }

    private static func book(_ server: String, _ booked: inout Int) async throws {
        let flight = try await read(server)
        try await add(-1, to: flight, server)
        booked += 1
        print("A seat is booked: \(try await read(server).value.Seats) seats left")

        print("Another one, with the ETag of before:")
        do {
            try await add(-1, to: flight, server)
            booked += 1
            throw Unexpected("The server ignores If-Match.")
        } catch let error as ODataError where error.statusCode == 412 {
            // Another user may have changed the flight: read it, decide, and write again.
            print("  status 412; \(error.document?.message ?? error.message)")
        }
        try await add(-1, to: read(server), server)
        booked += 1
        print("Read again, and booked: \(try await read(server).value.Seats) seats left")
    }

    /// Adds to the seats of now: others may have booked too. A seat whose booking was not confirmed stays booked.
    private static func release(_ seats: Int, _ server: String) async throws {
        if seats > 0 { try await add(seats, to: read(server), server) }
    }

    private static func request(_ server: String, _ path: String) throws -> SUPRequest {
        let request = SUPRequest(url: URL(string: "\(server)/FlightProxy/\(path)"))
        request.username = try user
        request.password = try password
        return request
    }

    private static func read(_ server: String) async throws -> ODataEntry<Flight> {
        try await request(server, "Flights('LH400')").response().decoded(as: .odataEntry(Flight.self))
    }

    /// Changes the seats, unless the flight has changed since it was read.
    /// - Throws: `ODataError` for a status of 4xx and 5xx, 412 among them; `response()` returns those.
    private static func add(_ seats: Int, to flight: ODataEntry<Flight>, _ server: String) async throws {
        // `If-Match: *` would overwrite what others have changed.
        guard let etag = flight.etag else { throw Unexpected("The server sends no ETag for a flight.") }
        let request = try request(server, "Flights('LH400')")
        request.requestMethod = "MERGE"
        request.setEtag(etag, with: .ifMatch)
        request.addRequestHeader("Content-Type", value: "application/json")
        request.appendPost(try JSONEncoder().encode(Flight(ID: flight.value.ID, Seats: flight.value.Seats + seats)))
        let response = try await request.response()
        if let error = ODataError(response) { throw error }
        _ = try response.decoded(as: .empty)
    }
}
