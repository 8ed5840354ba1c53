import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@testable import HTTPCaching

/// A server of which each test says how it responds, with the requests it got.
final class TestOrigin: Sendable {
    typealias Respond = @Sendable (_ request: HTTPRequest, _ number: Int) async throws -> HTTPResponse

    private let respond: Respond
    private let received = Mutex([HTTPRequest]())

    init(_ respond: @escaping Respond) { self.respond = respond }

    /// A server whose responses have these fields, and their number as body.
    convenience init(_ fields: KeyValuePairs<String, String>) {
        let fields = fields.map { ($0.key, $0.value) }
        self.init { request, number in .test(request, fields, "\(number)") }
    }

    var requests: [HTTPRequest] { received.withLock { $0 } }
    var count: Int { requests.count }

    /// The server without a network.
    var transport: FakeTransport { FakeTransport { [self] in try await response(to: $0) } }

    func response(to request: HTTPRequest) async throws -> HTTPResponse {
        let number = received.withLock { requests in
            requests.append(request)
            return requests.count
        }
        return try await respond(request, number)
    }
}

extension HTTPResponse {
    static func test(
        _ request: HTTPRequest, status: Int = 200, _ fields: [(String, String)] = [], _ body: String = ""
    ) -> HTTPResponse {
        HTTPResponse(
            status: HTTPStatus(status) ?? .ok, fields: (try? HTTPFields(fields)) ?? HTTPFields(),
            body: Data(request.method == .head ? "".utf8 : body.utf8), url: request.url)
    }

    var text: String { String(decoding: body, as: UTF8.self) }
    var cache: String { head.cacheStatus?.description ?? "none" }
}

extension HTTPRequest {
    static func test(
        _ method: HTTPMethod = .get, _ path: String = "/a", _ fields: KeyValuePairs<String, String> = [:],
        body: HTTPBody = .empty, _ change: (inout RequestOptions) -> Void = { _ in }
    ) throws -> HTTPRequest {
        try HTTPRequest(
            method, "https://api.test\(path)", fields: HTTPFields(fields), body: body, options: RequestOptions(change))
    }
}

extension HTTPCache {
    /// The cache with its tables open: a call waits for them at most a second, and stores nothing if that is too short.
    func opened() async throws -> HTTPCache {
        try await storage.open(atMost: nil)
        return self
    }

    /// Waits until calls wait for the requests of others.
    func waitForFollowers(_ count: Int) async throws {
        try await eventually("calls that wait in the cache") { self.followerCount >= count }
    }
}

extension EventRecorder {
    /// The events of caches, as text.
    var cacheEvents: [String] {
        events.compactMap { if case .layer(let event as CacheEvent) = $0 { event.description } else { nil } }
    }
}
