import Foundation
import Patchbay
import PatchbayTestKit
import TestSupport
import Testing

struct Ticket: Codable, Equatable, Sendable {
    var number: Int
    var title: String
}

struct NewIssue: Codable, Sendable {
    var title: String
}

private struct Echo: Codable, Equatable, Sendable {
    var method, url, accept, body, type, agent: String
}

extension EndpointRequest where Value == Echo {
    fileprivate static func echo(of name: String, title: String) -> Self {
        .post("echo/\(name)", body: .json(NewIssue(title: title)))
    }
}

@Suite(.needsSlot) struct APIClientTests {
    private typealias Step = ScriptedTransport.Step

    /// A transport that responds with the parts of the request.
    private let echo = ScriptedTransport { request in
        let body = try await request.body.collect(upTo: 10_000)
        return request.response(
            json: .object([
                "method": .string(request.method.name), "url": .string(request.url.absoluteString),
                "accept": .string(request.fields[.accept] ?? ""),
                "body": .string(String(decoding: body, as: UTF8.self)),
                "type": .string(request.fields[.contentType] ?? ""), "agent": .string(request.fields[.userAgent] ?? ""),
            ]))
    }

    private func client(_ steps: Step..., then last: Step? = nil) throws -> (APIClient, ScriptedTransport) {
        let transport = ScriptedTransport(steps, then: last)
        return (try APIClient("https://example.com/api", over: transport), transport)
    }

    // MARK: Requests

    @Test func `2: a call has the path below the base URL, the client's fields and those of the call`() async throws {
        let client = try APIClient("https://example.com/api/", over: echo) {
            $0.fields[.userAgent] = "Shop/3"
            $0.query = ["v": "1"]
        }
        let get: Echo = try await client.get("items", query: ["state": "open"])
        #expect(
            get.url == "https://example.com/api/items?v=1&state=open" && get.agent == "Shop/3" && get.method == "GET")
        #expect(get.accept == "application/json" && get.body.isEmpty)
        let post: Echo = try await client.post(
            "/items", fields: ["User-Agent": "Mine"], json: NewIssue(title: "It breaks"))
        #expect(post.body == #"{"title":"It breaks"}"# && post.type == "application/json" && post.agent == "Mine")
        let form: Echo = try await client.put("items/1", body: .form(["a": "1 2"]))
        #expect(form.body == "a=1+2" && form.type == "application/x-www-form-urlencoded" && form.method == "PUT")
        let other: Echo = try await client.send(EndpointRequest(HTTPMethod("PURGE"), "cache"))
        #expect(other.method == "PURGE")
    }

    @Test(arguments: [nil, "x"] as [String?])
    func `2: a nil is JSON's null, never a call without a body`(note: String?) async throws {
        let client = try APIClient("https://example.com", over: echo)
        let text = note.map { "\"\($0)\"" } ?? "null"
        var echoes: [Echo] = [
            try await client.post("a", json: note), try await client.put("a", json: note),
            try await client.patch("a", json: note), try await client.delete("a", json: note),
            try await client.query("a", json: note),
        ]
        let requests: [EndpointRequest<Echo>] = [
            .post("a", json: note), .put("a", json: note), .patch("a", json: note), .delete("a", json: note),
            EndpointRequest(.query, "a", json: note), .post("a", body: .json(note)),
        ]
        for request in requests { echoes.append(try await client.send(request)) }
        #expect(echoes.map(\.body) == Array(repeating: text, count: 11))
        #expect(echoes.allSatisfy { $0.type == "application/json" })
        #expect(
            echoes.prefix(10).map(\.method) == ["POST", "PUT", "PATCH", "DELETE", "QUERY"]
                + echoes.prefix(5).map(\.method))
        let none: Echo = try await client.put("a")
        #expect(none.body.isEmpty && none.type.isEmpty)
    }

    @Test func `2: bodies of elements have the client's settings of JSON`() async throws {
        struct Row: Encodable, Sendable { var longName: Int }
        let client = try APIClient("https://example.com", over: echo) { $0.json = JSONFormat { $0.keys = .snakeCase } }
        let rows = [Row(longName: 1), Row(longName: 2)]
        let stream = AsyncStream<Row> { continuation in
            for row in rows { continuation.yield(row) }
            continuation.finish()
        }
        let lines = "{\"long_name\":1}\n{\"long_name\":2}\n"
        var sent: Echo = try await client.post("a", body: .ndjson(rows))
        #expect(sent.body == lines && sent.type == "application/x-ndjson")
        sent = try await client.post("a", body: .ndjson(stream))
        #expect(sent.body == lines)
        sent = try await client.post("a", body: .jsonSequence(rows.prefix(1)))
        #expect(sent.body == "\u{1E}{\"long_name\":1}\n" && sent.type == "application/json-seq")
        sent = try await client.post("a", body: .csv(header: ["n"], rows: rows) { ["\($0.longName)"] })
        #expect(sent.body == "n\r\n1\r\n2\r\n" && sent.type.hasPrefix("text/csv"))
        sent = try await client.post("a", body: .form(encoding: Row(longName: 1)))
        #expect(sent.body == "longName=1" && sent.type == "application/x-www-form-urlencoded")
        let parts = [Multipart.Part.text("a", "1"), .text("b", "2")]
        sent = try await client.post("a", body: .multipart(parts))
        #expect(sent.type.hasPrefix("multipart/form-data") && sent.body.contains("name=\"b\""))
        #expect("\(EndpointBody.ndjson(rows))" == "NDJSON")
    }

    @Test func `2: a value that is not JSON is an error before anything is sent`() async throws {
        let client = try APIClient("https://example.com", over: echo)
        for value in [Double.nan, .infinity] {
            let error = await #expect(throws: HTTPMessageError.self) { try await client.post("a", json: value) }
            #expect(error?.code == .invalidJSON)
        }
        #expect(echo.requests.isEmpty)
    }

    @Test func `2: a changed copy leaves the client as it was, and a call its settings`() async throws {
        let client = try APIClient("https://example.com", over: echo)
        let changed = client.with { $0.fields[.userAgent] = "Other" }
        let (first, second): (Echo, Echo) = (try await client.get("a"), try await changed.get("a"))
        #expect(first.agent.isEmpty && second.agent == "Other")
        let timed = try changed.with { $0.options.timeouts.idle = .seconds(5) }
            .request(for: EndpointRequest<Void>.get("a", timeout: .seconds(3)))
        #expect(timed.options.timeouts.total == .seconds(3) && timed.options.timeouts.idle == .seconds(5))
        #expect(try client.request(for: EndpointRequest<Void>.get("a")).options.timeouts.total == nil)
    }

    @Test func `3: an interpolated value stays one segment`() async throws {
        let client = try APIClient("https://example.com/api", over: echo)
        let name = "a/b?x=1#y"
        let echo: Echo = try await client.get("users/\(name)/items")
        #expect(echo.url == "https://example.com/api/users/a%2Fb%3Fx=1%23y/items")
        for value in ["..", ".", ""] {
            let error = await #expect(throws: HTTPMessageError.self) { try await client.get("users/\(value)/items") }
            #expect(error?.code == .invalidPathValue)
        }
        #expect(self.echo.requests.count == 1)
    }

    @Test(arguments: ["https://other.example/x", "a\r\nb"])
    func `an invalid path is an error before anything is sent`(path: String) async throws {
        let client = try APIClient("https://example.com/api", over: echo)
        let error = await #expect(throws: HTTPMessageError.self) { try await client.get(RequestPath(verbatim: path)) }
        #expect(error?.code == .invalidURL && echo.requests.isEmpty)
    }

    @Test func `invalid fields and an invalid base are errors before anything is sent`() async throws {
        let client = try APIClient("https://example.com/api", over: echo)
        var error = await #expect(throws: HTTPMessageError.self) {
            try await client.get("a", fields: ["X-A": "1\r\n2"])
        }
        #expect(error?.code == .invalidFieldValue && error?.message.contains("X-A") == true)
        error = await #expect(throws: HTTPMessageError.self) { try await client.get("a", fields: ["X A": "1"]) }
        #expect(error?.code == .invalidFieldName)
        error = await #expect(throws: HTTPMessageError.self) {
            try await client.with { $0.fields["X-B"] = "\0" }.get("a", fields: ["X-A": "1"])
        }
        #expect(error?.code == .invalidFieldValue && error?.message.contains("X-B") == true)
        #expect(throws: HTTPMessageError.self) { try APIClient("https://example.com/?a=1") }
        #expect(throws: HTTPMessageError.self) { try APIClient("example.com") }
        #expect(echo.requests.isEmpty)
    }

    // MARK: Responses

    @Test func `2: the type of the result chooses what is decoded`() async throws {
        let issue: JSONValue = ["number": 7, "title": "It breaks"]
        let (client, transport) = try client(then: .json(issue, status: .created))
        let value: Ticket = try await client.get("a")
        let response: Response<Ticket> = try await client.post("a")
        let raw = try await client.patch("a")
        let bytes: Data = try await client.delete("a")
        #expect(
            value == Ticket(number: 7, title: "It breaks") && response.value == value && response.status == .created)
        #expect(raw.body == bytes && raw.status == .created && !bytes.isEmpty)
        try await client.head("a")
        try await client.send(EndpointRequest<Void>.delete("a"))
        #expect(transport.requests.map(\.method) == [.get, .post, .patch, .delete, .head, .delete])
    }

    @Test @MainActor func `2: a type of the main actor is encoded and decoded there`() async throws {
        @MainActor struct Item: @MainActor Codable {
            var number: Int
            init(number: Int) { self.number = number }
            init(from decoder: any Decoder) throws {
                MainActor.preconditionIsolated()
                number = try decoder.singleValueContainer().decode(Int.self)
            }
            func encode(to encoder: any Encoder) throws {
                MainActor.preconditionIsolated()
                var container = encoder.singleValueContainer()
                try container.encode(number)
            }
        }
        let (client, transport) = try client(then: .json(7))
        let item: Item = try await client.get("a")
        let response: Response<Item> = try await client.get("a")
        let sent: Item = try await client.send(.get("a"))
        let posted: Item = try await client.post("a", json: item)
        #expect([item, response.value, sent, posted].map(\.number) == [7, 7, 7, 7])
        #expect(try await transport.requests.last?.body.collect(upTo: 10) == Data("7".utf8))
    }

    @Test func `2: an optional value is nil for an empty body, others are an error`() async throws {
        let (client, _) = try client(then: .status(.noContent))
        let none: Ticket? = try await client.get("a")
        let (noData, noText): (Data?, String?) = (try await client.get("a"), try await client.get("a"))
        #expect(none == nil && noData == nil && noText == nil)
        await #expect(throws: ResponseDecodingError.self) { let _: JSONValue = try await client.get("a") }
        let error = await #expect(throws: ResponseDecodingError.self) { let _: Ticket = try await client.get("a") }
        #expect(error?.code == .emptyBody)
    }

    @Test func `2: optional text and bytes are those of the body`() async throws {
        let (client, transport) = try client(then: .text("abc"))
        let (data, text): (Data?, String?) = (try await client.get("a"), try await client.get("a"))
        #expect(data == Data("abc".utf8) && text == "abc")
        #expect(transport.requests.last?.fields[.accept] == "text/plain, */*;q=0.5")
    }

    @Test func `2: a field may have several values, and a rejected one is an error under every rule`() async throws {
        let client = try APIClient("https://example.com", over: echo) { $0.mergeRule = .replacing }
        try await client.get("a", fields: ["X-A": "1", "X-A": "2"])
        #expect(echo.requests.last?.fields.values(of: try HTTPFieldName("X-A")) == ["1", "2"])
        var computed: HTTPFields = ["X-A": "3"]
        computed[.userAgent] = "Shop/3"
        try await client.post("a", fields: computed, json: 1)
        #expect(echo.requests.last?.fields["X-A"] == "3" && echo.requests.last?.fields[.userAgent] == "Shop/3")
        await #expect(throws: HTTPMessageError.self) { try await client.get("a", fields: ["X-A": "1\r\n2"]) }
        let late = try APIClient("https://example.com", over: echo.modifyingRequests { $0.fields["X-A"] = "\n" })
        await #expect(throws: HTTPMessageError.self) { try await late.get("a") }
        #expect(echo.requests.count == 2)
    }

    @Test func `8: the format follows the media type, and Accept the formats`() async throws {
        let list = try PropertyListEncoder().encode(Ticket(number: 7, title: "x"))
        let transport = ScriptedTransport { request in
            switch request.url.lastPathComponent {
            case "list": request.response(fields: try HTTPFields(["Content-Type": "application/x-plist"]), body: list)
            case "text": request.response(text: "seven")
            default: request.response(json: "seven")
            }
        }
        let client = try APIClient("https://example.com", over: transport) { $0.formats = [.propertyList] }
        let value: Ticket = try await client.get("list")
        let (text, json): (String, String) = (try await client.get("text"), try await client.get("json"))
        #expect(value.number == 7 && text == "seven" && json == "seven")
        #expect(transport.requests.first?.fields[.accept] == "application/json, application/x-plist;q=0.9")
        _ = try await client.get("text", fields: ["Accept": "text/plain"]) as String
        #expect(transport.requests.last?.fields[.accept] == "text/plain")
    }

    @Test(arguments: [(406, "accepted were application/json"), (415, "the body was text/plain;charset=utf-8")])
    func `8: a media type that the server refuses is named`(status: Int, note: String) async throws {
        let (client, _) = try client(then: .status(try #require(HTTPStatus(status))))
        let error = await #expect(throws: ServerError<JSONValue>.self) {
            let _: Ticket = try await client.post("a", body: .text("x"))
        }
        #expect(error?.message.hasSuffix("; " + note) == true)
    }

    @Test func `7: an API is a list of static functions`() async throws {
        let client = try APIClient("https://example.com", over: echo)
        let echo = try await client.send(.echo(of: "a b", title: "x"))
        #expect(echo.url == "https://example.com/echo/a%20b" && echo.body == #"{"title":"x"}"#)
        #expect("\(EndpointRequest<Echo>.echo(of: "a b", title: "x"))" == "POST echo/{}")
    }

    // MARK: Streams

    @Test func `2: lines, records and streams arrive as the types of their parsers`() async throws {
        let (client, _) = try client(
            .text("a\nb"), .text("{\"number\":1,\"title\":\"x\"}\n"), .text("abc"),
            then: .text("gone", status: .notFound))
        var lines: [String] = []
        for try await line in try await client.lines("a") { lines.append(line) }
        var records: [Ticket] = []
        for try await record in try await client.records("a", of: Ticket.self) { records.append(record) }
        let stream = try await client.stream(.get("a"))
        #expect(try await stream.body.collect(upTo: 10) == Data("abc".utf8))
        #expect(lines == ["a", "b"] && records == [Ticket(number: 1, title: "x")])
        let error = await #expect(throws: ServerError<JSONValue>.self) { _ = try await client.lines("a") }
        #expect(error?.status == .notFound && error?.bytes == Data("gone".utf8))
    }

    @Test func `2: the errors of lines, records and elements begin with the request and the status`() async throws {
        let (client, _) = try client(then: .text("1\n{\n\u{FFFD}"))
        let start = "GET https://example.com/api/a?token=<redacted>: 200 OK: "
        let query: Query = ["token": "s3cret"]
        var error = await #expect(throws: StreamDecodingError.self) {
            for try await _ in try await client.records("a", of: Int.self, query: query) {}
        }
        #expect(error?.description.hasPrefix(start + "Line 2: Invalid JSON") == true)
        #expect(error?.failingURL == "https://example.com/api/a?token=<redacted>" && error?.head?.status == .ok)
        error = await #expect(throws: StreamDecodingError.self) {
            for try await _ in try await client.elements("a", of: Int.self, query: query) {}
        }
        #expect(error?.description.hasPrefix(start + "Line 1: ") == true)
        error = await #expect(throws: StreamDecodingError.self) {
            for try await _ in try await client.lines("a", query: query, maximumLength: 2) {}
        }
        #expect(error?.description.hasPrefix(start + "Line 3: ") == true)
    }

    @Test func `2: events are read through the stack`() async throws {
        let transport = ScriptedTransport { request in
            request.response(
                fields: try HTTPFields(["Content-Type": "text/event-stream"]), body: Data("data: 1\n\ndata: 2\n\n".utf8)
            )
        }
        let client = try APIClient("https://example.com", over: transport) { $0.fields[.userAgent] = "Shop/3" }
        var events: [String] = []
        for try await event in try client.events("feed") {
            events.append(event.data)
            if events.count == 2 { break }
        }
        #expect(events == ["1", "2"] && transport.requests.first?.fields[.userAgent] == "Shop/3")
    }

    @Test func `2: open event streams hold no slot of the queue`() async throws {
        let transport = ScriptedTransport { request in
            request.response(
                fields: try HTTPFields(["Content-Type": "text/event-stream"]), body: Data("data: 1\n\n".utf8))
        }
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 1))
        let client = try APIClient("https://example.com", over: transport.queued(in: queue))
        var iterators = try (0..<3).map { _ in try client.events("feed").makeAsyncIterator() }
        for index in iterators.indices { #expect(try await iterators[index].next()?.data == "1") }
        #expect(queue.runningCount == 0)
        try await client.get("status")
    }

    @Test func `2: the status of an event stream's error is its httpStatus`() async throws {
        let (client, _) = try client(then: .status(.notFound))
        let error = await #expect(throws: EventSourceError.self) {
            for try await _ in try client.events("feed") {}
        }
        #expect(error?.httpStatus == .notFound)
    }

    @Test func `2: the settings of JSON are those of values, records and elements`() async throws {
        struct Row: Codable, Equatable, Sendable { var longName: Int }
        let (client, transport) = try client(
            .text("{\"long_name\":1}"), .text("{\"long_name\":1}\n"),
            .text("{\"data\":{\"rows\":[{\"long_name\":1}]}}"),
            then: .text("{\"longName\":1}"))
        let snake = client.with { $0.json = JSONFormat { $0.keys = .snakeCase } }
        let value: Row = try await snake.post("a", json: Row(longName: 1))
        var rows = [value]
        for try await row in try await snake.records("a", of: Row.self) { rows.append(row) }
        for try await row in try await snake.elements("a", of: Row.self, at: "data.rows") { rows.append(row) }
        #expect(rows == Array(repeating: Row(longName: 1), count: 3))
        #expect(try await transport.requests.first?.body.collect(upTo: 100) == Data("{\"long_name\":1}".utf8))
        let foundation = client.with { $0.json = JSONFormat(decoder: JSONDecoder(), encoder: JSONEncoder()) }
        let other: Row = try await foundation.post("a", json: Row(longName: 1))
        #expect(other.longName == 1)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let (lines, _) = try self.client(then: .text("{\"long_name\":7}\n"))
        let own = lines.with { $0.json = JSONFormat(decoder: decoder) }
        for try await row in try await own.records("a", of: Row.self) { #expect(row.longName == 7) }
    }
}
