import Foundation
import HTTPCaching
import HTTPMessages
import Synchronization
import Transport

/// A case of another suite in short: a response is offered to a cache, and a later request asks for it.
///
/// Messages are one line: a method with a path or a status with a body, all optional, and fields, separated by bars. A
/// value such as `@-60` is the date 60 seconds before the first request.
struct PolicyCase: Sendable, CustomStringConvertible {
    let description: String
    let first: String
    let response: String
    /// What the later request must lead to, by seconds since the first one.
    ///
    /// - `hit`: nothing is sent. `unavailable`: nor is there a response.
    /// - `hit, revalidated`: the stored response, and a request in the background.
    /// - `sent`: without conditions. `sent if A and B`: with these, or a range. `sent*`: with any.
    /// - `updated`, `full`, `stale used`: what follows from ``second``.
    let expected: KeyValuePairs<Double, String>
    let later: String
    /// A request between both and its response.
    let between: (request: String, response: String)?
    /// The response to the later request; by default the one to the first. `lost` for a lost connection.
    let second: String?
    /// Fields of the last response; `-` for a missing one.
    let fields: String
    let isShared: Bool
    /// Why this cache does something else than what is expected.
    let deviation: String?

    init(
        _ description: String, _ response: String, _ expected: KeyValuePairs<Double, String>, first: String = "",
        later: String = "", between: (request: String, response: String)? = nil, second: String? = nil,
        fields: String = "", shared: Bool = false, but deviation: String? = nil
    ) {
        (self.description, self.response, self.expected, self.first) = (description, response, expected, first)
        (self.later, self.between, self.second, self.fields) = (later, between, second, fields)
        (isShared, self.deviation) = (shared, deviation)
    }

    private static let start = 1_700_000_000.0

    /// What differs from the expectation; empty if nothing does.
    func differences() async throws -> [String] {
        let time = Mutex(Self.start)
        let cache = HTTPCache(rules: CacheRules { $0.isShared = isShared }, now: { time.withLock { $0 } })
        let origin = TestOrigin { request, number in try respond(to: request, number) }
        let transport = origin.transport.caching(in: cache)
        _ = try await transport.send(request(first))
        if let between { _ = try await transport.send(request(between.request)) }
        var differences: [String] = []
        for (seconds, expected) in expected {
            time.withLock { $0 = Self.start + seconds }
            let count = origin.count
            let response = try await transport.send(request(later))
            await cache.waitUntilIdle()
            let outcome = outcome(response, origin.requests.dropFirst(count))
            let isMet = expected == outcome || expected == "sent*" && outcome.hasPrefix("sent")
            if !isMet { differences.append("after \(seconds) s: \(outcome), not \(expected)") }
            for (name, value) in parts(fields).fields where (response.fields[name] ?? "-") != value {
                differences.append("\(name): \(response.fields[name] ?? "-"), not \(value)")
            }
        }
        return differences
    }

    private func outcome(_ response: HTTPResponse, _ sent: ArraySlice<HTTPRequest>) -> String {
        guard let request = sent.first else {
            return response.head.cacheStatus?.isHit ?? false ? "hit" : "unavailable"
        }
        let isStored = response.text == "1" || response.text.isEmpty
        if let second {
            guard isStored, sent.count == 1 else { return "full" }
            return second.hasPrefix("304") ? "updated" : "stale used"
        }
        if response.head.cacheStatus?.isHit ?? false { return "hit, revalidated" }
        let conditions = [HTTPFieldName.ifNoneMatch, .ifModifiedSince, .range].compactMap { request.fields[$0] }
        return conditions.isEmpty ? "sent" : "sent if " + conditions.joined(separator: " and ")
    }

    // MARK: Messages

    private func respond(to request: HTTPRequest, _ number: Int) throws -> HTTPResponse {
        var text = response
        if number == 2, let between { text = between.response }
        if number == (between == nil ? 2 : 3), let second { text = second }
        if text == "lost" { throw TransportError(.connectionLost, "The connection was lost.", request: request) }
        let parts = parts(text)
        let words = parts.start.split(separator: " ").map(String.init)
        let status = words.first.flatMap { Int($0) } ?? 200
        return .test(request, status: status, parts.fields, words.dropFirst().first ?? "\(number)")
    }

    private func request(_ text: String) throws -> HTTPRequest {
        let (start, fields) = parts(text)
        let words = start.split(separator: " ").map(String.init)
        let (method, target) = (words.first ?? "GET", words.dropFirst().first ?? "/a")
        let url = target.hasPrefix("/") ? "https://api.test" + target : target
        let body = ["GET", "HEAD", "TRACE"].contains(method) ? HTTPBody.empty : .text("abc")
        return try HTTPRequest(HTTPMethod(method), url, fields: HTTPFields(fields), body: body)
    }

    private func parts(_ text: String) -> (start: String, fields: [(String, String)]) {
        var (start, fields) = ("", [(String, String)]())
        for part in text.components(separatedBy: " | ") {
            guard let colon = part.range(of: ":"), !part.contains("://") || part.hasPrefix("location") else {
                start = part
                continue
            }
            let value = part[colon.upperBound...].trimmingCharacters(in: .whitespaces)
            fields.append((String(part[..<colon.lowerBound]), Self.dated(value)))
        }
        return (start, fields)
    }

    private static func dated(_ value: String) -> String {
        guard value.hasPrefix("@"), let offset = Double(value.dropFirst()) else { return value }
        return HTTPDate(Date(timeIntervalSince1970: start + offset)).description
    }
}
