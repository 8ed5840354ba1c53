import Foundation
public import HTTPMessages
public import Transport

/// Compares what a client sends with recorded traffic, and responds as the recorded server did.
///
/// Record an app on another SDK, with a proxy or a browser, as an HTTP archive; then let the new client do the same
/// calls. Each request is compared with the recorded one, and the report lists the differences:
///
/// ```swift
/// let entries = try HARReader.entries(of: file)
/// let replay = TrafficReplay(try entries.compactMap { try $0.exchange() })
/// let report = await replay.run { recorded in try await shop.call(recorded.url.lastPathComponent, over: replay) }
/// #expect(report.isClean, "\(report)")
/// ```
///
/// A request is compared with the unused recording of its method and path that differs least, or else with the one
/// whose call runs. Compared are the URL, the fields but for those of engines, and the body: JSON by value, forms by
/// parameter. In a query `+` and `%2B` are different. Secrets count as equal. The order of requests is not compared.
public final class TrafficReplay: StreamingTransport {
    private struct State {
        /// The differences of the exchanges that were requested.
        var differences: [Int: [RequestDifference]] = [:]
        /// Why a call sent nothing.
        var failures: [Int: String] = [:]
        var unexpected: [TrafficReport.Item] = []
        var current: Int?
    }

    /// The fields that engines and proxies set, and those that differ in each run.
    public static let volatileFields: Set<String> = HTTPRequest.reservedFields.union([
        "accept-encoding", "accept-language", "cache-control", "date", "if-none-match", "if-modified-since", "origin",
        "pragma", "priority", "referer", "traceparent", "tracestate", "upgrade-insecure-requests", "user-agent",
    ])

    private let exchanges: [Recording.Exchange]
    /// The requests of the exchanges, in their normal form.
    private let recorded: Result<[ComparableRequest], any Error>
    private let rules: RecordingRules
    private let ignoredFields: Set<String>
    private let state = Watched(State())

    /// Creates a replay of exchanges, such as those of an HTTP archive.
    /// - Parameters:
    ///   - rules: the parameters and members to ignore, and the names of secrets; the fields are not used.
    ///   - ignoredFields: names in lower case; fields whose name starts with `sec-` are ignored too.
    public init(
        _ exchanges: some Sequence<(request: HTTPRequest, response: HTTPResponse)>,
        rules: RecordingRules = RecordingRules { $0.comparesBody = true },
        ignoredFields: Set<String> = TrafficReplay.volatileFields
    ) {
        let exchanges = exchanges.map { Recording.Exchange($0.request, $0.response) }
        self.exchanges = exchanges
        recorded = Result {
            try exchanges.map {
                try ComparableRequest($0.request, body: $0.requestBody, rules, without: ignoredFields)
            }
        }
        self.rules = rules
        self.ignoredFields = ignoredFields
    }

    /// Calls a closure for each recorded request that was not sent yet, in order, and returns the report.
    /// - Parameter call: lets the client do what led to the request. Its errors count only if nothing was sent: a
    ///   client may throw for the recorded status.
    @discardableResult
    public func run(_ call: (HTTPRequest) async throws -> Void) async -> TrafficReport {
        for number in exchanges.indices {
            let isSent = state.update { state in
                state.current = number
                return state.differences[number] != nil
            }
            if isSent { continue }
            do {
                try await call(exchanges[number].request)
            } catch {
                let text = (error as? any PatchbayError)?.description ?? "\(type(of: error))"
                state.update { $0.failures[number] = text }
            }
        }
        state.update { $0.current = nil }
        return report
    }

    /// What was compared so far.
    public var report: TrafficReport {
        let state = state.value
        let items = exchanges.enumerated().map { number, exchange in
            let outcome: TrafficReport.Outcome =
                if let differences = state.differences[number] {
                    differences.isEmpty ? .same : .different(differences)
                } else {
                    .notSent(state.failures[number])
                }
            return TrafficReport.Item(exchange: number, request: rules.text(exchange.request), outcome: outcome)
        }
        return TrafficReport(items: items + state.unexpected)
    }

    /// Compares a request and returns the recorded response.
    /// - Throws: ``RecordingError`` (`noMatch`); `TransportError` (`cancelled`, `unreadableBody`, `responseTooLarge`).
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await InProcessExchange(request: request, observer: observer).send { try self.respond(to: $0) }
    }

    /// Compares a request and streams the recorded response.
    /// - Throws: as ``send(_:observer:)``, without `responseTooLarge`.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        try await InProcessExchange(request: request, observer: observer).stream { try self.respond(to: $0) }
    }

    private func respond(to request: HTTPRequest) throws -> HTTPResponse {
        let recorded = try self.recorded.get()
        let sent = try ComparableRequest(request, body: nil, rules, without: ignoredFields)
        let before = state.value
        let same = exchanges.indices.filter {
            before.differences[$0] == nil && recorded[$0].method == sent.method && recorded[$0].path == sent.path
        }
        // Only of those that the request may be: a body may be long.
        let differences: [Int: [RequestDifference]] = (same + [before.current].compactMap { $0 }).reduce(into: [:]) {
            $0[$1] = recorded[$1].hiding(request.options).differences(from: sent)
        }
        let found = state.update { state -> Int? in
            // Of several with the path the one that differs least, the first of these.
            let best = same.filter { state.differences[$0] == nil }
                .min { differences[$0, default: []].count < differences[$1, default: []].count }
            let current = before.current.flatMap { state.differences[$0] == nil ? $0 : nil }
            guard let number = best ?? current else {
                state.unexpected.append(
                    TrafficReport.Item(exchange: nil, request: rules.text(request), outcome: .unexpected))
                return nil
            }
            state.differences[number] = differences[number]
            return number
        }
        guard let found, let head = exchanges[found].head else {
            throw RecordingError(
                .noMatch, "The traffic has no further request like \(rules.text(request)); it is listed in the report.",
                url: rules.redaction.redacted(request.url))
        }
        return HTTPResponse(head: head, body: exchanges[found].body)
    }
}
