import Foundation
public import HTTPMessages
public import PatchbayTestKit
import Synchronization
import SystemLibraries

/// An emulated Oracle event server, with extra endpoints to test the HTTP layer.
///
/// | endpoint | behavior |
/// |---|---|
/// | `POST /v3/{account}` | collects events: `{"static": {…}, "events": [{"timestamp": "…", …}]}`; all values are strings; at most 4096 bytes, optionally gzip |
/// | `GET`, `POST /echo` | echoes method, query, headers and body |
/// | `GET`, `POST /unstable` | answers 503 a set number of times, then 200 |
/// | `GET /slow` | never answers |
/// | other paths | 404; 405 for another method |
///
/// Limits and format of the events are the vendor's; the path and the name `timestamp` are this project's.
public final class OracleService: HTTPService {
    private struct State {
        var events: [String: [JSONValue]] = [:]
        var failures: Int
    }

    /// Maximum size of an event request in bytes, after decompression.
    public static let maximumBytes = 4096
    /// Maximum length of a value in characters.
    public static let maximumCharacters = 512

    private let state: Mutex<State>

    /// Creates a server without events.
    /// - Parameter failures: number of 503 responses of `/unstable` before the first 200; default 1.
    public init(failures: Int = 1) { state = Mutex(State(failures: failures)) }

    /// The collected events of an account, each merged with the static values of its request.
    public func events(of account: String) -> [JSONValue] { state.withLock { $0.events[account] ?? [] } }

    /// Answers one request.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        do {
            return try await route(request)
        } catch let failure as OracleFailure {
            return request.response(failure.status, json: ["error": .string(failure.text)])
        }
    }

    private func route(_ request: HTTPRequest) async throws -> HTTPResponse {
        let segments = request.url.path().split(separator: "/").map(String.init)
        switch (segments.first, segments.count) {
        case ("v3", 2):
            try request.require([.post])
            let events = try await events(in: request)
            state.withLock { $0.events[segments[1], default: []] += events }
            return request.response(json: ["accepted": .integer(Int64(events.count))])
        case ("echo", 1):
            try request.require([.get, .post])
            return request.response(json: try await echo(request))
        case ("unstable", 1):
            try request.require([.get, .post])
            let fails = state.withLock { state in
                defer { state.failures = max(0, state.failures - 1) }
                return state.failures > 0
            }
            guard fails else { return request.response(json: ["state": "stable"]) }
            throw OracleFailure(status: .serviceUnavailable, text: "Temporarily unavailable; retry")
        case ("slow", 1):
            try request.require([.get])
            try await Gate().wait()
            return request.response(.serviceUnavailable)
        default:
            throw OracleFailure(status: .notFound, text: "No such endpoint")
        }
    }

    private func events(in request: HTTPRequest) async throws -> [JSONValue] {
        let body = try await body(of: request, upTo: Self.maximumBytes)
        guard let message = try? JSONValue(parsing: body), let events = message["events"]?.array, !events.isEmpty else {
            throw OracleFailure(
                status: .badRequest, text: "The body is not a JSON object with a non-empty array `events`")
        }
        let shared = try message["static"].map { try values(of: $0, named: "static") } ?? [:]
        guard message["static"] == nil || !shared.isEmpty else {
            throw OracleFailure(status: .badRequest, text: "`static` is empty; omit it")
        }
        return try events.map { event in
            let own = try values(of: event, named: "an event")
            guard own["timestamp"] != nil else {
                throw OracleFailure(status: .badRequest, text: "An event has no `timestamp`")
            }
            return .object(shared.merging(own) { _, own in own })
        }
    }

    private func values(of value: JSONValue, named name: String) throws -> [String: JSONValue] {
        guard let members = value.object,
            members.values.allSatisfy({ ($0.string?.count ?? .max) <= Self.maximumCharacters })
        else {
            throw OracleFailure(
                status: .badRequest,
                text: "The values of \(name) must be strings of at most \(Self.maximumCharacters) characters")
        }
        return members
    }

    /// Returns the body, decompressed up to a limit.
    private func body(of request: HTTPRequest, upTo limit: Int = 64 << 20) async throws -> Data {
        let body = try await request.body.collect()
        let decoded: Data
        switch request.fields[.contentEncoding]?.lowercased() {
        case nil, "identity": decoded = body
        case "gzip":
            do {
                decoded = try Self.inflated(body, upTo: limit + 1)
            } catch {
                throw OracleFailure(status: .badRequest, text: "The body is not valid gzip")
            }
        default:
            throw OracleFailure(status: .unsupportedMediaType, text: "Unsupported Content-Encoding; use gzip or none")
        }
        guard decoded.count <= limit else {
            throw OracleFailure(status: .contentTooLarge, text: "The request exceeds \(limit) bytes")
        }
        return decoded
    }

    /// Returns at most the first `limit` decompressed bytes.
    private static func inflated(_ data: Data, upTo limit: Int) throws(SystemLibraryError) -> Data {
        let inflater = try Inflater()
        inflater.supply(data)
        inflater.finish()
        var output = Data()
        while output.count < limit, let piece = try inflater.read(atMost: min(65_536, limit - output.count)) {
            output.append(piece)
        }
        return output
    }

    private func echo(_ request: HTTPRequest) async throws -> JSONValue {
        let items = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
        let query = Dictionary(items.map { ($0.name, JSONValue.string($0.value ?? "")) }) { _, last in last }
        let headers = Dictionary(request.fields.map { ($0.name.canonicalName, JSONValue.string($0.value)) }) {
            _, last in
            last
        }
        let body = try await body(of: request)
        return [
            "method": .string(request.method.name), "query": .object(query), "headers": .object(headers),
            "body": (try? JSONValue(parsing: body)) ?? .string(String(decoding: body, as: UTF8.self)),
        ]
    }
}

/// An error response: status and text.
private struct OracleFailure: Error {
    let status: HTTPStatus
    let text: String
}

extension HTTPStatus {
    fileprivate static let unsupportedMediaType = HTTPStatus(415) ?? .badRequest
}

extension HTTPRequest {
    fileprivate func require(_ methods: [HTTPMethod]) throws {
        guard methods.contains(method) else {
            throw OracleFailure(status: .methodNotAllowed, text: "Method not allowed")
        }
    }
}
