import Foundation
import HTTPCaching
import HTTPMessages
import JSON
import PatchbayTestKit
import Synchronization
import Transport

/// Runs a case over a server that responds as the case says; its checks are those of the suite's own client.
final class CacheCaseRunner: Sendable {
    /// How a case ended.
    enum Result: Hashable, Sendable {
        case passed
        /// A check failed.
        case failed(String)
        /// What the case depends on did not happen.
        case notSetUp(String)
    }

    private struct Failure: Error { let result: Result }

    private struct ServerRequest: Sendable {
        let request: HTTPRequest
        /// The fields that the client has to get.
        let sent: [(String, String)]
    }

    private static let body = "3f0cbd4f-0a6d-4bd5-a0a1-7e1c6a2f9f10"
    private static let base = "https://cache.test/case"

    private let test: CacheCase
    private let clock = ManualClock()
    private let start = Date().timeIntervalSince1970.rounded()
    private let received = Mutex([ServerRequest]())

    init(_ test: CacheCase) { self.test = test }

    static func run(
        _ test: CacheCase, rules: CacheRules, cache: ((ManualClock) throws -> HTTPCache)? = nil
    ) async -> Result {
        let runner = CacheCaseRunner(test)
        do {
            let cache = try cache?(runner.clock) ?? HTTPCache(rules: rules, clock: runner.clock)
            // Opens its tables, for which a call waits at most a second.
            try await cache.removeAll()
            try await runner.run(over: FakeTransport { try await runner.respond($0) }.caching(in: cache), cache)
            return .passed
        } catch let failure as Failure {
            return failure.result
        } catch {
            return .failed("\(error)")
        }
    }

    private func run(over transport: some Transport, _ cache: HTTPCache) async throws {
        var responses: [HTTPResponse?] = []
        for (index, step) in test.steps.enumerated() {
            let request = try request(step, number: index + 1)
            do {
                let response = try await transport.send(request)
                try check(response, step, number: index + 1)
                responses.append(response)
            } catch let error as TransportError {
                // The server has closed the connection: the suite's client gets no response either.
                guard step.flag("disconnect") else { throw error }
                guard step.expectedType != "cached" else {
                    throw fail(step, "expected_type", "the response does not come from the cache")
                }
                responses.append(nil)
            }
            // A revalidation in the background.
            await cache.waitUntilIdle()
            if step.flag("pause_after") { await clock.advance(by: .seconds(3)) }
        }
        try checkServerRequests(responses)
    }

    // MARK: The client

    private func url(_ step: CacheCase.Step) -> String {
        Self.base + (step.text("filename").map { "/\($0)" } ?? "") + (step.text("query_arg").map { "?\($0)" } ?? "")
    }

    private func request(_ step: CacheCase.Step, number: Int) throws -> HTTPRequest {
        var fields = HTTPFields()
        for header in step.list("request_headers") {
            guard let name = header[0]?.string, let value = header[1] else { continue }
            let isObsolete = step.list("rfc850date").contains { $0.string == name.lowercased() }
            try fields.append(name, text(value, of: name, isMagic: step.flag("magic_ims"), isObsolete: isObsolete))
        }
        try fields.append("Test-ID", Self.body)
        try fields.append("Req-Num", String(number))
        // What a browser sends for Fetch's cache mode.
        if step.text("cache") == "no-cache" { try fields.append("Cache-Control", "max-age=0") }
        let method = try HTTPMethod(step.text("request_method") ?? "GET")
        let content = step.text("request_body").map { HTTPBody.text($0) } ?? .empty
        return try HTTPRequest(method, url(step), fields: fields, body: content)
    }

    private func text(_ value: JSONValue, of name: String, isMagic: Bool, isObsolete: Bool = false) -> String {
        if let text = value.string { return text }
        guard let offset = value.integer else { return "" }
        let date = HTTPDate(Date(timeIntervalSince1970: start + now + Double(offset)))
        return isObsolete ? date.obsoleteText : date.description
    }

    /// Seconds since the start of the case, which dates are relative to.
    private var now: Double { Double(clock.now.offset.components.seconds) }

    private func fail(_ step: CacheCase.Step, _ check: String, _ message: String) -> any Error {
        Failure(result: step.isSetup(check) ? .notSetUp(message) : .failed(message))
    }

    private func check(_ response: HTTPResponse, _ step: CacheCase.Step, number: Int) throws {
        let count = response.fields["Server-Request-Count"].flatMap { Int($0) }
        switch step.expectedType {
        case "cached" where !(response.status == .notModified && count == nil):
            guard count.map({ $0 < number }) ?? false else {
                throw fail(step, "expected_type", "response \(number) does not come from the cache")
            }
        case "not_cached":
            guard count == number else { throw fail(step, "expected_type", "response \(number) comes from the cache") }
        default: break
        }
        try checkStatus(response, step, number: number)
        try checkFields(response, step)
        try checkBody(response, step)
    }

    private func checkStatus(_ response: HTTPResponse, _ step: CacheCase.Step, number: Int) throws {
        let code = response.status.code
        if step.has("expected_status") {
            guard let expected = step.json["expected_status"]?.integer else { return }
            guard code == Int(expected) else {
                throw fail(step, "expected_status", "status of response \(number) is \(code), not \(expected)")
            }
        } else if let expected = step.responseStatus {
            guard code == expected else { throw Failure(result: .notSetUp("status is \(code), not \(expected)")) }
        } else if code == 999 {
            throw fail(step, "expected_type", "request \(number) is not conditional")
        } else if code != 200 {
            throw Failure(result: .notSetUp("status of response \(number) is \(code)"))
        }
    }

    private func checkFields(_ response: HTTPResponse, _ step: CacheCase.Step) throws {
        for header in step.list("expected_response_headers") {
            let name = header.string ?? header[0]?.string ?? ""
            let value = response.fields[name]
            let isMet: Bool =
                switch (header.array?.count ?? 1, header[1]) {
                case (3, .string(">")):
                    value.flatMap { Int($0) }.map { $0 > Int(header[2]?.integer ?? 0) } ?? false
                case (3, .string("=")): value == response.fields[header[2]?.string ?? ""]
                case (2, let expected?):
                    value == (expected.string ?? dateText(of: expected, in: step))
                default: value != nil
                }
            guard isMet else {
                throw fail(step, "expected_response_headers", "field \(name) is \(value ?? "missing"), not \(header)")
            }
        }
        for header in step.list("expected_response_headers_missing") {
            let name = header.string ?? header[0]?.string ?? ""
            let value = response.fields[name]
            let isMissing = header.string != nil ? value == nil : value != header[1]?.string
            guard isMissing else {
                throw fail(step, "expected_response_headers_missing", "field \(name) is there")
            }
        }
    }

    /// A date relative to the time of the first response.
    private func dateText(of value: JSONValue, in step: CacheCase.Step) -> String {
        HTTPDate(Date(timeIntervalSince1970: start + Double(value.integer ?? 0))).description
    }

    private func checkBody(_ response: HTTPResponse, _ step: CacheCase.Step) throws {
        if step.has("check_body"), !step.flag("check_body") { return }
        let text = String(decoding: response.body, as: UTF8.self)
        if step.has("expected_response_text") {
            guard let expected = step.text("expected_response_text") else { return }
            guard text == expected else {
                throw fail(step, "expected_response_text", "body is \"\(text)\", not \"\(expected)\"")
            }
        } else if let expected = step.text("response_body") {
            guard text == expected else { throw Failure(result: .notSetUp("body is \"\(text)\", not \"\(expected)\"")) }
        } else if ![204, 304].contains(response.status.code), step.text("request_method") != "HEAD",
            !step.has("response_body")
        {
            guard text == Self.body else { throw Failure(result: .notSetUp("body is \"\(text)\"")) }
        }
    }

    private func checkServerRequests(_ responses: [HTTPResponse?]) throws {
        let requests = received.withLock { $0 }
        var index = 0
        for (number, step) in test.steps.enumerated() {
            let request = index < requests.count ? requests[index] : nil
            guard step.expectedType != "cached" else { continue }
            index += 1
            for (type, name) in [("etag_validated", "If-None-Match"), ("lm_validated", "If-Modified-Since")]
            where step.expectedType == type {
                guard request?.request.fields[name] != nil else {
                    throw fail(step, "expected_type", "request \(number + 1) has no \(name)")
                }
            }
            for header in step.list("expected_request_headers") {
                let name = header.string ?? header[0]?.string ?? ""
                let value = request?.request.fields[name]
                guard header.string != nil ? value != nil : value == header[1]?.string else {
                    throw fail(
                        step, "expected_request_headers", "field \(name) of the request is \(value ?? "missing")")
                }
            }
            if let method = step.text("expected_method") {
                guard request?.request.method.name == method else {
                    throw fail(step, "expected_method", "method is \(request?.request.method.name ?? "missing")")
                }
            }
            guard let request, let response = responses[number] else { continue }
            for (name, value) in request.sent where name.lowercased() != "date" {
                guard response.fields[name] == value else {
                    throw Failure(
                        result: .failed("field \(name) is \(response.fields[name] ?? "missing"), not \(value)"))
                }
            }
        }
    }

    // MARK: The server

    private func respond(_ request: HTTPRequest) async throws -> HTTPResponse {
        let number = request.fields["Req-Num"].flatMap { Int($0) } ?? 0
        let step = test.steps[number - 1]
        let count = received.withLock { $0.count } + 1
        let status = status(step, number, request)
        var fields = HTTPFields()
        try fields.append("Server-Base-Url", "/case")
        try fields.append("Server-Request-Count", String(count))
        try fields.append("Client-Request-Count", String(number))
        if let pause = step.json["response_pause"]?.integer { await clock.advance(by: .seconds(pause)) }
        var sent: [String: String] = [:]
        for header in step.list("response_headers") {
            guard let name = header[0]?.string, let given = header[1] else { continue }
            var value = text(given, of: name, isMagic: false)
            if step.flag("magic_locations"), ["location", "content-location"].contains(name.lowercased()) {
                value = value.isEmpty ? "/case" : "/case/\(value)"
            }
            try fields.append(name, value)
            if header[2]?.bool ?? true { sent[name] = sent[name].map { "\($0), \(value)" } ?? value }
        }
        if !fields.contains(.contentType) { try fields.append("Content-Type", "text/plain") }
        if !fields.contains(.date) {
            try fields.append("Date", HTTPDate(Date(timeIntervalSince1970: start + now)).description)
        }
        let record = ServerRequest(request: request, sent: sent.map { ($0.key, $0.value) })
        received.withLock { $0.append(record) }
        if step.flag("disconnect") {
            throw TransportError(.connectionLost, "The server closed the connection.", request: request)
        }
        var content = [204, 304].contains(status) ? "" : step.text("response_body") ?? Self.body
        if request.method == .head { content = "" }
        // A server sends no more than it has announced.
        if let length = fields[.contentLength].flatMap({ Int($0) }) { content = String(content.prefix(length)) }
        guard let code = HTTPStatus(status) else { throw TransportError(.malformedResponse, "status") }
        return HTTPResponse(status: code, fields: fields, body: Data(content.utf8), url: request.url)
    }

    private func status(_ step: CacheCase.Step, _ number: Int, _ request: HTTPRequest) -> Int {
        guard step.expectedType?.hasSuffix("validated") ?? false, number > 1 else { return step.responseStatus ?? 200 }
        let previous = test.steps[number - 2].list("response_headers")
        func value(_ name: String) -> String? {
            guard let found = previous.first(where: { $0[0]?.string?.lowercased() == name }), let value = found[1]
            else {
                return nil
            }
            if let text = value.string { return text }
            // The time of the response before, which was one pause ago.
            let pause = test.steps[number - 2].flag("pause_after") ? 3.0 : 0
            return HTTPDate(Date(timeIntervalSince1970: start + now - pause + Double(value.integer ?? 0))).description
        }
        if let modified = value("last-modified"), request.fields["If-Modified-Since"] == modified { return 304 }
        if let tag = value("etag"), request.fields["If-None-Match"] == tag { return 304 }
        return 999
    }
}

extension HTTPDate {
    /// The form of RFC 850.
    fileprivate var obsoleteText: String {
        let parts = description.split(separator: " ").map(String.init)
        let days = ["Mon": "Monday", "Tue": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday", "Fri": "Friday"]
        let weekend = ["Sat": "Saturday", "Sun": "Sunday"]
        let day = String(parts[0].prefix(3))
        return "\(days[day] ?? weekend[day] ?? ""), \(parts[1])-\(parts[2])-\(parts[3].suffix(2)) \(parts[4]) GMT"
    }
}
