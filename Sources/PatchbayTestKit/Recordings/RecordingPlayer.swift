import Foundation
import HTTPMessages
import Transport

/// The recorded exchanges by what is compared, each list with the position of the next one to replay.
struct RecordingPlayer: Sendable {
    private struct List {
        var exchanges: [Int] = []
        var next = 0
    }
    /// A method and a list; few methods have the same URL.
    private struct Entry {
        let method: HTTPMethod
        let list: Int
    }

    /// One exchange, as a reference that costs no copy.
    struct Replay: Sendable {
        fileprivate let content: Content
        fileprivate let number: Int

        var exchange: Recording.Exchange { content.exchanges[number] }
        /// The whole response; nil if the exchange failed.
        var response: HTTPResponse? { content.responses[number] }
    }

    fileprivate final class Content: Sendable {
        let exchanges: [Recording.Exchange]
        let responses: [HTTPResponse?]

        init(_ exchanges: [Recording.Exchange]) {
            self.exchanges = exchanges
            responses = exchanges.map { exchange in
                guard exchange.error == nil, !exchange.isPartial, var head = exchange.head else { return nil }
                head.method = exchange.request.method
                return HTTPResponse(head: head, body: exchange.body)
            }
        }
    }

    private let content: Content
    private let requests: [ComparableRequest]
    private var lists: [List] = []
    private var byRequest: [ComparableRequest: Int] = [:]
    /// The lists of URLs as they are in the recording, for requests that differ in nothing: the others cost a URL
    /// without its secrets each.
    private var byURL: [String: [Entry]] = [:]
    private var isUsed: [Bool]
    private let exhaustion: RecordingRules.Exhaustion

    /// - Throws: the errors of the rules' closures.
    init(_ recording: Recording, _ rules: RecordingRules) throws {
        let exchanges = recording.exchanges
        content = Content(exchanges)
        isUsed = Array(repeating: false, count: exchanges.count)
        exhaustion = rules.exhaustion
        requests = try exchanges.map { try ComparableRequest($0.request, body: $0.requestBody, rules) }
        for (number, request) in requests.enumerated() {
            let list = byRequest[request] ?? lists.count
            if list == lists.count {
                lists.append(List())
                byRequest[request] = list
            }
            lists[list].exchanges.append(number)
            guard rules.comparesURLOnly else { continue }
            let method = exchanges[number].request.method
            let url = exchanges[number].request.url.absoluteString
            if !byURL[url, default: []].contains(where: { $0.method == method }) {
                byURL[url, default: []].append(Entry(method: method, list: list))
            }
        }
    }

    /// Takes the next exchange for a request with exactly a recorded URL.
    /// - Returns: nil if that is not known.
    mutating func take(_ method: HTTPMethod, _ url: String) -> Replay? {
        guard let entry = byURL[url]?.first(where: { $0.method == method }) else { return nil }
        return take(list: entry.list)
    }

    /// Takes the next exchange for a request; nil if there is none.
    mutating func take(_ request: ComparableRequest) -> Replay? { byRequest[request].flatMap { take(list: $0) } }

    private mutating func take(list: Int) -> Replay? {
        let (next, count) = (lists[list].next, lists[list].exchanges.count)
        guard next < count || exhaustion == .last else { return nil }
        let number = lists[list].exchanges[min(next, count - 1)]
        lists[list].next = min(next + 1, count)
        isUsed[number] = true
        return Replay(content: content, number: number)
    }

    /// The exchanges that no request got, without the optional ones.
    var unused: [Recording.Exchange] {
        isUsed.indices.filter { !isUsed[$0] }.map { content.exchanges[$0] }.filter { !$0.isOptional }
    }

    /// The error for a request that no exchange is left for.
    func unmatched(_ request: HTTPRequest, _ comparable: ComparableRequest, _ rules: RecordingRules) -> RecordingError {
        let url = rules.redaction.redacted(request.url)
        if let list = byRequest[comparable] {
            let numbers = lists[list].exchanges
            return RecordingError(
                .noMatch,
                "The request \(rules.text(request)) is recorded \(numbers.count == 1 ? "once" : "\(numbers.count) times") and "
                    + "was sent once more; record again, or set `exhaustion` to `.last`.", url: url,
                exchange: numbers.last)
        }
        let nearest = requests.indices.min {
            requests[$0].distance(from: comparable) < requests[$1].distance(from: comparable)
        }
        guard let nearest else {
            return RecordingError(
                .noMatch, "The recording is empty, and \(rules.text(request)) needs an exchange; record it.", url: url)
        }
        var error = RecordingError(
            .noMatch,
            "No recording matches \(rules.text(request)); record it, or change the rules. The nearest is exchange "
                + "\(nearest), \(rules.text(content.exchanges[nearest].request)):", url: url, exchange: nearest)
        error.differences = requests[nearest].differences(from: comparable)
        return error
    }
}
