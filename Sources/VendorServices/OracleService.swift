import Foundation
public import HTTPMessages
public import PatchbayTestKit
import Synchronization
import SystemLibraries

/// A small server of the kind that Oracle's mobile SDK sends its events to, with a few endpoints to try the HTTP layer.
///
/// | endpoint | what it does |
/// |---|---|
/// | `POST /v3/{account}` | collects events: `{"static": {…}, "events": [{"timestamp": "…", …}]}`, all values texts, at most 4096 bytes, in gzip or not |
/// | `GET`, `POST /echo` | tells what it was asked: method, query, headers, body |
/// | `GET`, `POST /unstable` | answers 503 as often as it was told to, then 200 |
/// | `GET /slow` | never answers |
/// | anything else | 404; 405 for another method |
///
/// Limits and form of the events are the vendor's; the path and the name `timestamp` are this project's.
public final class OracleService: HTTPService {
    private struct State {
        var events: [String: [JSONValue]] = [:]
        var failures: Int
    }

    /// The most bytes of a call, after decompression.
    public static let maximumBytes = 4096
    /// The most characters of a value.
    public static let maximumCharacters = 512

    private let state: Mutex<State>

    /// A server without events.
    /// - Parameter failures: how often `/unstable` answers 503 first; default once.
    public init(failures: Int = 1) { state = Mutex(State(failures: failures)) }

    /// The events of an account that were collected so far, each with the static values of its call.
    public func events(of account: String) -> [JSONValue] { state.withLock { $0.events[account] ?? [] } }

    /// Answers one request.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        do {
            return try await answer(request)
        } catch let failure as OracleFailure {
            return request.reply(failure.status, json: ["error": .string(failure.text)])
        }
    }

    private func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
        let parts = request.url.path().split(separator: "/").map(String.init)
        switch (parts.first, parts.count) {
        case ("v3", 2):
            try request.require([.post])
            let events = try await events(in: request)
            state.withLock { $0.events[parts[1], default: []] += events }
            return request.reply(json: ["accepted": .integer(Int64(events.count))])
        case ("echo", 1):
            try request.require([.get, .post])
            return request.reply(json: try await describe(request))
        case ("unstable", 1):
            try request.require([.get, .post])
            let fails = state.withLock { state in
                defer { state.failures = max(0, state.failures - 1) }
                return state.failures > 0
            }
            guard fails else { return request.reply(json: ["state": "stable"]) }
            throw OracleFailure(status: .serviceUnavailable, text: "Come again")
        case ("slow", 1):
            try request.require([.get])
            try await Gate().wait()
            return request.reply(.serviceUnavailable)
        default:
            throw OracleFailure(status: .notFound, text: "No such endpoint")
        }
    }

    private func events(in request: HTTPRequest) async throws -> [JSONValue] {
        let body = try await body(of: request)
        guard body.count <= Self.maximumBytes else {
            throw OracleFailure(status: .contentTooLarge, text: "A call has at most \(Self.maximumBytes) bytes")
        }
        guard let call = try? JSONValue(parsing: body), let events = call["events"]?.array, !events.isEmpty else {
            throw OracleFailure(status: .badRequest, text: "The body is no JSON object with a list of events")
        }
        let shared = try call["static"].map { try values(of: $0, named: "static") } ?? [:]
        guard call["static"] == nil || !shared.isEmpty else {
            throw OracleFailure(status: .badRequest, text: "static is empty; leave it out")
        }
        return try events.map { event in
            let own = try values(of: event, named: "an event")
            guard own["timestamp"] != nil else {
                throw OracleFailure(status: .badRequest, text: "An event has no timestamp")
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
                text: "The values of \(name) are texts of at most \(Self.maximumCharacters) characters")
        }
        return members
    }

    /// The body, out of its content coding.
    private func body(of request: HTTPRequest) async throws -> Data {
        let body = try await request.body.collect()
        switch request.fields[.contentEncoding]?.lowercased() {
        case nil, "identity": return body
        case "gzip":
            guard let plain = try? Inflater.inflate(body) else {
                throw OracleFailure(status: .badRequest, text: "The body is not in gzip")
            }
            return plain
        default: throw OracleFailure(status: .unsupportedMediaType, text: "Bodies come in gzip, or as they are")
        }
    }

    private func describe(_ request: HTTPRequest) async throws -> JSONValue {
        let items = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
        let query = Dictionary(items.map { ($0.name, JSONValue.string($0.value ?? "")) }) { _, last in last }
        let headers = Dictionary(request.fields.map { ($0.name.canonical, JSONValue.string($0.value)) }) { _, last in
            last
        }
        let body = try await body(of: request)
        return [
            "method": .string(request.method.name), "query": .object(query), "headers": .object(headers),
            "body": (try? JSONValue(parsing: body)) ?? .string(String(decoding: body, as: UTF8.self)),
        ]
    }
}

/// What the server refuses, and how.
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
            throw OracleFailure(status: .methodNotAllowed, text: "The endpoint has no such method")
        }
    }
}
