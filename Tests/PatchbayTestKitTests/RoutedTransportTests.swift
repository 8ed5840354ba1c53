import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing
import Transport

/// Behavior 10: strict doubles.
@Suite struct RoutedTransportTests {
    private func request(_ method: HTTPMethod, _ path: String, _ body: HTTPBody = .empty) throws -> HTTPRequest {
        try HTTPRequest(method, "https://shop.example.com" + path, body: body)
    }

    @Test func `a request gets the response of its route, with the variables`() async throws {
        let transport = try RoutedTransport([
            .get("/orders", .json([])),
            .get("/orders/{id}") { call in call.request.response(text: "order \(call.variables["id"] ?? "")") },
            .post("/orders", .status(.created)),
        ])
        #expect(try await transport.send(request(.get, "/orders/7?x=1")).body == Data("order 7".utf8))
        #expect(try await transport.send(request(.post, "/orders", .text("tea"))).status == .created)
        #expect(try await transport.stream(request(.get, "/orders")).collect().body == Data("[]".utf8))
        try transport.verify()
        #expect(transport.calls.map(\.route) == [1, 2, 0])
        #expect(transport.calls.map(\.routeName) == ["GET /orders/{id}", "POST /orders", "GET /orders"])
        let posted = try transport.calls(.post, "/orders")
        #expect(try await posted.first?.request.body.collect() == Data("tea".utf8))
        #expect(try transport.calls(.get, "/orders/{id}").map { $0.variables["id"] } == ["7"])
    }

    @Test func `each method has its route`() async throws {
        let transport = try RoutedTransport([
            .get("/a", .status(.ok)), .head("/a", .status(.ok)), .query("/a", .status(.ok)), .post("/a", .status(.ok)),
            .put("/a", .status(.ok)), .patch("/a", .status(.ok)), .delete("/a", .status(.ok)),
            .head("/b") { $0.request.response(.accepted) }, .query("/b") { $0.request.response(.accepted) },
            .patch("/b") { $0.request.response(.accepted) },
        ])
        let methods: [HTTPMethod] = [.get, .head, .query, .post, .put, .patch, .delete]
        for method in methods { #expect(try await transport.send(request(method, "/a")).status == .ok) }
        for method in [HTTPMethod.head, .query, .patch] {
            #expect(try await transport.send(request(method, "/b")).status == .accepted)
        }
        try transport.verify()
    }

    @Test func `an unexpected request fails, and verifying fails too`() async throws {
        let transport = try RoutedTransport([
            .get("/a", times: .any, .status(.ok)), .post("/b", times: .any, .status(.ok)),
        ])
        let error = await #expect(throws: RoutingError.self) {
            try await transport.send(request(.get, "/b?token=sesame"))
        }
        #expect(error?.code == .unexpectedRequest && error?.message.contains("there is POST") == true)
        #expect(error?.failingURL == "https://shop.example.com/b?token=<redacted>")
        let other = await #expect(throws: RoutingError.self) { try await transport.send(request(.get, "/c")) }
        #expect(other?.message.contains("the routes are GET /a, POST /b") == true)
        let verified = #expect(throws: RoutingError.self) { try transport.verify() }
        #expect(verified?.code == .notAsExpected && verified?.violations.count == 2)
        #expect(verified.map { !"\($0)".contains("sesame") } == true)
    }

    @Test func `other requests get a fallback if there is one, and still count as unexpected`() async throws {
        let transport = try RoutedTransport([.get("/a", times: .any, .status(.ok))], otherwise: .status(.notFound))
        #expect(try await transport.send(request(.get, "/b")).status == .notFound)
        #expect(throws: RoutingError.self) { try transport.verify() }
    }

    @Test func `unused routes and wrong numbers of calls are listed`() async throws {
        let transport = try RoutedTransport([
            .get("/a", .status(.ok)), .get("/b", times: 2, .status(.ok)),
            .get("/c", times: .within(0...1), .status(.ok)),
            .put("/d", times: 0, .status(.ok)),
        ])
        _ = try await transport.send(request(.get, "/b"))
        let error = #expect(throws: RoutingError.self) { try transport.verify() }
        #expect(
            error?.violations == [
                "GET /a was called 0 times, and expects at least 1", "GET /b was called once, and expects 2",
            ])
        _ = try await transport.send(request(.get, "/c"))
        let second = await #expect(throws: RoutingError.self) { try await transport.send(request(.get, "/c")) }
        #expect(second?.message.contains("expects 0 to 1") == true)
        await #expect(throws: RoutingError.self) { try await transport.send(request(.put, "/d")) }
    }

    @Test func `a route that is there twice responds in sequence`() async throws {
        let transport = try RoutedTransport([
            .get("/a", times: 1, .status(.serviceUnavailable)), .get("/a", times: 1, .failure(.timedOut)),
            .get("/a", .text("done")),
        ])
        #expect(try await transport.send(request(.get, "/a")).status == .serviceUnavailable)
        await #expect(throws: TransportError.self) { try await transport.send(request(.get, "/a")) }
        for _ in 0..<2 { #expect(try await transport.send(request(.get, "/a")).status == .ok) }
        try transport.verify()
    }

    @Test func `calls out of order are listed if the order matters`() async throws {
        for (order, count) in [(RoutedTransport.Order.any, 0), (.listed, 1)] {
            let transport = try RoutedTransport(
                [.get("/1", .status(.ok)), .get("/2", .status(.ok)), .get("/3", .status(.ok))], order: order)
            for path in ["/1", "/3", "/2", "/3"] { _ = try await transport.send(request(.get, path)) }
            if count == 0 {
                try transport.verify()
            } else {
                let error = #expect(throws: RoutingError.self) { try transport.verify() }
                #expect(error?.violations == ["GET /2 was called after GET /3"])
            }
        }
    }

    @Test func `transports share nothing, and copies share the history`() async throws {
        let route = try RoutedTransport.Route.get("/a", .status(.ok))
        let (first, second) = (RoutedTransport([route]), RoutedTransport([route]))
        let copy = first
        _ = try await copy.send(request(.get, "/a"))
        try first.verify()
        #expect(throws: RoutingError.self) { try second.verify() }
        #expect(try await first.calls(count: 1).count == 1 && second.calls.isEmpty)
    }

    @Test func `of concurrent calls a route takes the number that it expects`() async throws {
        let transport = try RoutedTransport([.get("/{n}", times: 100, .status(.ok)), .get("/{n}", .status(.accepted))])
        let statuses = try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
            for number in 0..<200 { group.addTask { try await transport.send(request(.get, "/\(number)")).status } }
            return try await group.reduce(into: [:] as [HTTPStatus: Int]) { $0[$1, default: 0] += 1 }
        }
        #expect(statuses == [.ok: 100, .accepted: 100])
        try transport.verify()
    }

    @Test func `an invalid template is an error`() {
        #expect(throws: (any Error).self) { try RoutedTransport([.get("/{", .status(.ok))]) }
    }
}
