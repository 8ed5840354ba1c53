import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing

@testable import Transport

@Suite struct RedirectStateTests {
    private func response(_ status: HTTPStatus, _ fields: KeyValuePairs<String, String> = [:]) throws
        -> HTTPResponseHead
    {
        HTTPResponseHead(status: status, fields: try HTTPFields(fields), url: try URL(httpString: "http://h/"))
    }

    private func state(
        _ policy: RedirectPolicy = .standard, total: Duration? = nil, url: String = "http://h/0"
    ) throws -> RedirectState {
        let options = RequestOptions(timeouts: Timeouts(total: total))
        return RedirectState(try HTTPRequest(.get, url, options: options), policy: policy, now: .seconds(100))
    }

    /// Handles a redirect and follows it.
    /// - Returns: the next request.
    @discardableResult
    private func go(
        _ state: inout RedirectState, to location: String, cookie: Bool = false, now: Duration = .seconds(100)
    ) throws -> HTTPRequest {
        let fields: KeyValuePairs<String, String> =
            cookie ? ["Location": location, "Set-Cookie": "a=b"] : ["Location": location]
        let received = try state.received(response(.found, fields))
        let redirect = try #require(received)
        try state.follow(redirect, to: redirect.target)
        return try state.nextRequest(now: now)
    }

    @Test func `other responses are final`() throws {
        var state = try state()
        let redirect = try state.received(response(.notFound, ["Location": "/x"]))
        #expect(redirect == nil)
        #expect(try state.finished(response(.ok)) == response(.ok))
    }

    @Test func `the final head contains the redirects`() throws {
        var state = try state()
        try go(&state, to: "/1")
        try go(&state, to: "/2")
        #expect(state.request.url.path() == "/2")
        let finished = try state.finished(response(.ok))
        #expect(finished.redirects.map { $0.fields[.location] } == ["/1", "/2"])
        #expect(finished.redirects.allSatisfy { $0.redirects.isEmpty })
    }

    @Test(arguments: [0, 1, 5, 20])
    func `enforces the limit`(limit: Int) throws {
        var state = try state(RedirectPolicy(limit: limit))
        for number in 0..<limit { try go(&state, to: "/\(number + 1)") }
        let error = #expect(throws: TransportError.self) { try go(&state, to: "/last") }
        #expect(error?.code == .tooManyRedirects)
        #expect(error?.head?.status == .found && error?.head?.redirects.count == limit)
    }

    @Test func `a negative limit counts as zero`() throws {
        var state = try state(RedirectPolicy(limit: -1))
        #expect(throws: TransportError.self) { try go(&state, to: "/1") }
    }

    @Test(arguments: [["/0"], ["/1", "/0"], ["/1", "/2", "/1"], ["/0#x"]])
    func `rejects loops`(path: [String]) throws {
        var state = try state()
        for location in path.dropLast() { try go(&state, to: location) }
        let error = #expect(throws: TransportError.self) { try go(&state, to: path.last ?? "") }
        #expect(error?.code == .tooManyRedirects && error?.head?.redirects.count == path.count - 1)
    }

    @Test func `a cookie resets loop detection`() throws {
        var state = try state()
        try go(&state, to: "/login")
        try go(&state, to: "/0", cookie: true)
        try go(&state, to: "/1")
        #expect(throws: TransportError.self) { try go(&state, to: "/0") }
    }

    @Test func `a request without credentials is not a loop`() throws {
        var state = RedirectState(
            try HTTPRequest(.get, "http://h/0", fields: HTTPFields(["Authorization": "x"])), policy: .standard,
            now: .zero)
        try go(&state, to: "http://i/")
        try go(&state, to: "http://h/0")
        // Back at the first origin, the dropped fields are not restored.
        #expect(state.request.fields.isEmpty)
        #expect(throws: TransportError.self) { try go(&state, to: "http://i/") }
    }

    @Test func `loop detection can be disabled`() throws {
        var state = try state(RedirectPolicy(limit: 3, detectsLoops: false))
        for _ in 0..<3 { try go(&state, to: "/0") }
        let error = #expect(throws: TransportError.self) { try go(&state, to: "/0") }
        #expect(error?.code == .tooManyRedirects)
    }

    @Test func `the total timeout applies to all requests together`() throws {
        var state = try state(total: .seconds(10))
        let first = try go(&state, to: "/1", now: .seconds(104))
        #expect(first.options.timeouts.total == .seconds(6))
        #expect(first.options.timeouts.response == .seconds(60))
        #expect(try go(&state, to: "/2", now: .seconds(109)).options.timeouts.total == .seconds(1))
        let error = #expect(throws: TransportError.self) { try go(&state, to: "/3", now: .seconds(110)) }
        #expect(error?.code == .timedOut && error?.phase == .total && error?.head?.redirects.count == 2)
    }

    @Test func `works without a total timeout`() throws {
        var state = try state()
        #expect(try go(&state, to: "/1", now: .seconds(1_000_000)).options.timeouts == Timeouts())
    }

    @Test(arguments: ["ftp://h/", "http://ann:sesame@h/", "http://a b/?token=sesame", "http://h:0/?token=sesame"])
    func `errors contain no secrets`(location: String) throws {
        var state = try state(url: "http://h/0?token=sesame")
        let error = try #require(
            throws: TransportError.self, performing: { try go(&state, to: location) })
        #expect(error.code == .redirectRefused && error.underlying is HTTPMessageError)
        #expect(error.head?.fields[.location] == location)
        var dumped = ""
        dump(error, to: &dumped)
        for text in ["\(error)", String(reflecting: error), dumped] { #expect(!text.contains("sesame"), "\(text)") }
    }

    @Test func `applies the policy to another target`() throws {
        var state = RedirectState(
            try HTTPRequest(.get, "https://h/0", fields: HTTPFields(["Authorization": "x"])), policy: .standard,
            now: .zero)
        let received = try state.received(response(.found, ["Location": "/1"]))
        let redirect = try #require(received)
        for url in ["http://h/", "https://u@h/", "ftp://h/"] {
            let url = try #require(URL(string: url))
            let error = #expect(throws: TransportError.self) { try state.follow(redirect, to: url) }
            #expect(error?.code == .redirectRefused)
        }
        try state.follow(redirect, to: #require(URL(string: "https://i/")))
        #expect(state.request.url.host() == "i" && state.request.fields.isEmpty)
    }
}
