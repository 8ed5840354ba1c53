import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import VendorServices

@Suite(.needsSlot) struct OrderServiceTests {
    private static func request(
        _ method: HTTPMethod = .post, _ path: String = "/orders", key: String? = "k", _ text: String = "{}"
    ) throws -> HTTPRequest {
        var request = try HTTPRequest(
            method, "http://orders.test\(path)", body: method.allowsBody ? .text(text) : .empty)
        request.fields[.idempotencyKey] = key
        return request
    }

    @Test func `15: a repeated key gets the stored response, without a further effect`() async throws {
        let service = OrderService()
        let first = try await service.respond(to: Self.request())
        let second = try await service.respond(to: Self.request())
        #expect(first.status == .created && second.status == .created && first.body == second.body)
        let third = try await service.respond(to: Self.request(key: "other"))
        #expect(third.body != first.body)
        #expect(service.effects.map(\.idempotencyKey) == ["k", "other"] && service.requestCount == 3)
    }

    @Test func `15: a key with another request is refused, and so is a request without one`() async throws {
        let service = OrderService()
        _ = try await service.respond(to: Self.request())
        #expect(try await service.respond(to: Self.request(.post, "/orders", "other")).status == .unprocessableContent)
        #expect(try await service.respond(to: Self.request(.put, "/orders/a")).status == .unprocessableContent)
        #expect(try await service.respond(to: Self.request(key: nil)).status == .badRequest)
        #expect(service.effects.count == 1)
    }

    @Test func `15: a key in progress is a conflict`() async throws {
        let gate = Gate()
        let service = OrderService { _ in try await gate.wait() }
        let first = Task { try await service.respond(to: Self.request()) }
        try await gate.waitForWaiters(1)
        #expect(try await service.respond(to: Self.request()).status == .conflict)
        gate.open()
        #expect(try await first.value.status == .created)
        #expect(try await service.respond(to: Self.request()).status == .created)
        #expect(service.effects.count == 1)
    }

    @Test func `15: named orders have versions, and other paths are errors`() async throws {
        let service = OrderService()
        for version in 1...2 {
            let response = try await service.respond(to: Self.request(.put, "/orders/a", key: "p\(version)"))
            #expect(try JSONValue(parsing: response.body) == ["version": .integer(Int64(version))])
        }
        #expect(try await service.respond(to: Self.request(.delete, "/orders/a", key: "d")).status == .noContent)
        #expect(try await service.respond(to: Self.request(.put, "/orders/a", key: nil)).status == .ok)
        #expect(
            try await service.respond(to: Self.request(.post, "/attachments", key: "f", "12345")).status == .created)
        #expect(try await service.respond(to: Self.request(.post, "/nowhere", key: "x")).status == .notFound)
        #expect(try await service.respond(to: Self.request(.get, "/orders", key: nil)).status == .methodNotAllowed)
        #expect(service.effects.map(\.target).suffix(2) == ["PUT /orders/a", "POST /attachments"])
    }

    @Test func `15: faults come before the effect, or lose the response`() async throws {
        let service = OrderService()
        service.inject(.status(.serviceUnavailable), for: .post)
        service.inject(.lostResponse, for: .post)
        #expect(try await service.respond(to: Self.request()).status == .serviceUnavailable)
        #expect(service.effects.isEmpty)
        #expect(try await service.respond(to: Self.request()).status == .internalServerError)
        #expect(try await service.respond(to: Self.request()).status == .created)
        #expect(try await service.effects(count: 1).count == 1)
    }
}
