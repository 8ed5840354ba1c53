import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

@Suite(.needsSlot) struct RequestTests {
    private let transport = ScriptedTransport([], then: .status(.ok))

    private func sent(
        _ request: WLResourceRequest, _ send: (WLResourceRequest) async throws -> Void = { try await $0.send() }
    ) async throws -> HTTPRequest {
        try await send(request)
        return try #require(transport.requests.last)
    }

    @Test(arguments: ["https://h.test/mfp", "https://h.test/mfp/"], ["/adapters/A/p", "adapters/A/p"])
    func `M1: a path is below the API of the server, with one slash`(server: String, path: String) async throws {
        let client = WLClient.scripted(transport) { $0.serverURL = server }
        let request = try await sent(client.request(path))
        #expect(request.url.absoluteString == "https://h.test/mfp/api/adapters/A/p")
    }

    @Test(arguments: [
        ("https://other.test/x", "https://other.test/x"), ("http://other.test/x?a=1", "http://other.test/x?a=1"),
        ("/adapters/A/p?next=http://x/", "https://mfp.example.test/mfp/api/adapters/A/p?next=http://x/"),
        ("adapters/A/p?next=http:", "https://mfp.example.test/mfp/api/adapters/A/p?next=http:"),
    ])
    func `M1: only a URL that starts with a scheme is absolute`(path: String, expected: String) async throws {
        let request = try await sent(WLClient.scripted(transport).request(path))
        #expect(request.url.absoluteString == expected)
    }

    @Test(arguments: [nil, "", "ftp://h.test/x"])
    func `M1: without a usable URL the call fails, and nothing is sent`(path: String?) async throws {
        let request = WLClient.scripted(transport).request(path)
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.code == .invalidRequest && error?.errorCode == 1)
        #expect(transport.requests.isEmpty)
    }

    @Test func `M2: the URL's query is parsed, set replaces, and the query string is the one on the wire`() async throws
    {
        let request = WLClient.scripted(transport).request("/adapters/A/p?a=1&a=2&b=x%20y&c=p+q")
        #expect(request.queryParameters["a"] as? [String] == ["1", "2"])
        #expect(request.queryParameters["b"] as? String == "x y")
        request.setQueryParameterValue("3", forName: "a")
        request.setQueryParameterValue(parameterValue: 7, forName: "d")
        #expect(request.getQueryString() == "a=3&b=x%20y&c=p+q&d=7")
        let sent = try await sent(request)
        #expect(sent.url.query(percentEncoded: true) == request.getQueryString())
    }

    @Test func `M3: params are sent as they are, in the query of a GET and in the form of a POST`() async throws {
        let fixture = Fixture()
        let get = fixture.request("/adapters/Js/add")
        get.setQueryParameterValue("['value1', 'value2']", forName: "params")
        #expect(try await get.send().member("params") == "['value1', 'value2']")
        #expect(fixture.transport.requests[0].url.absoluteString.hasSuffix("add?params=%5B'value1'%2C%20'value2'%5D"))
        let post = fixture.request("/adapters/Js/add", WLHttpMethodPost)
        #expect(
            try await post.send(withFormParameters: ["params": "['value1', 'value2']"]).member("params")
                == "['value1', 'value2']")
        let body = try await fixture.transport.requests[1].body.collect()
        #expect(String(decoding: body, as: UTF8.self) == "params=%5B'value1'%2C%20'value2'%5D")
    }

    /// The send methods with a body, by name.
    private static let bodies = ["Body", "FormParameters", "JSON", "Data"]

    private func send(_ body: String, _ request: WLResourceRequest) async throws {
        switch body {
        case "Body": try await request.send(withBody: "text")
        case "FormParameters": try await request.send(withFormParameters: ["a": "b"])
        case "JSON": try await request.send(withJSON: ["a": "b"])
        default: try await request.send(withData: Data([1, 2]))
        }
    }

    @Test(arguments: bodies, ["GET", "POST", "PUT", "DELETE"])
    func `M4: POST and PUT send a body, GET and DELETE do not`(body: String, method: String) async throws {
        let request = WLClient.scripted(transport).request("/a", method)
        let sent = try await sent(request) { try await send(body, $0) }
        #expect(sent.method.name == method)
        #expect(sent.body.isEmpty == (method == "GET" || method == "DELETE"))
        #expect(sent.fields.contains(.contentType) != sent.body.isEmpty)
    }

    @Test(arguments: [
        ("Body", "text/plain; charset=utf-8", "custom/type"),
        ("FormParameters", "application/x-www-form-urlencoded", "application/x-www-form-urlencoded"),
        ("JSON", "application/json; charset=utf-8", "custom/type"),
        ("Data", "application/octet-stream", "custom/type"),
    ])
    func `M5: each kind of body has its type, which only a form fixes`(
        body: String, type: String, overridden: String
    ) async throws {
        let client = WLClient.scripted(transport)
        let plain = try await sent(client.request("/a", "POST")) { try await send(body, $0) }
        #expect(plain.fields[.contentType] == type)
        let request = client.request("/a", "POST")
        request.setHeaderValue("custom/type", forName: "content-type")
        let custom = try await sent(request) { try await send(body, $0) }
        #expect(custom.fields.values(of: .contentType) == [overridden])
    }

    @Test(arguments: ["50%", "a+b", "a&b=c", "a b", "Grüße 🎈", "%41", "it's"])
    func `M5: values are encoded exactly once`(value: String) async throws {
        let fixture = Fixture()
        let request = fixture.request("/adapters/Public/echo", WLHttpMethodPost)
        request.setQueryParameterValue(value, forName: "q")
        let response = try await request.send(withFormParameters: ["f": value, "password": "50%"])
        #expect(response.member("form")?["f"]?[0]?.string == value)
        #expect(response.member("form")?["password"]?[0]?.string == "50%")
        #expect(response.member("query")?["q"]?[0]?.string == value)
    }

    @Test func `M5: text in another encoding, and text that it cannot hold`() async throws {
        let request = WLClient.scripted(transport).request("/a", "POST")
        request.stringEncoding = String.Encoding.isoLatin1.rawValue
        let sent = try await sent(request) { try await $0.send(withBody: "ü") }
        #expect(sent.fields[.contentType] == "text/plain; charset=iso-8859-1")
        try await #expect(sent.body.collect() == Data([0xFC]))
        let error = await failure { () throws(WLError) in try await request.send(withBody: "🎈") }
        #expect(error?.code == .invalidRequest)
    }

    @Test func `M6: headers are replaced, joined, split and removed, in any case`() async throws {
        let request = WLClient.scripted(transport).request("/a")
        request.setHeaderValue("2015-06-06", forName: "birthdate")
        request.setHeaderValue(value: NSString(string: "1"), forName: "X-One")
        request.setHeaderValue("2", forName: "x-one")
        request.addHeaderValue("3", forName: "X-ONE")
        request.addHeaderValue(value: 4, forName: "X-Four")
        #expect(request.headers(forName: "x-One") == ["2", "3"] && request.header(forName: "X-one") == "2")
        #expect(request.header(forName: "X-None") == "" && request.headers(forName: "X-None") == [])
        #expect(request.headerNames() == ["birthdate", "x-one", "X-Four"])
        #expect(request.headers.map(\.headerName) == request.headerNames())
        request.removeHeaders(forName: "X-FOUR")
        let sent = try await sent(request)
        #expect(sent.fields["X-One"] == "2, 3" && sent.fields["X-Four"] == nil)
        #expect(sent.fields["Birthdate"] == "2015-06-06")
    }

    @Test func `M6: the setter of all headers joins the values of one name, which are then replaced together`()
        async throws
    {
        let request = WLClient.scripted(transport).request("/a")
        request.headers = [
            WLHeader(headerName: "X", headerValue: "1"), WLHeader(headerName: "x", headerValue: "2"),
            WLHeader(headerName: "Cookie", headerValue: "a=1"), WLHeader(headerName: "cookie", headerValue: "b=2"),
        ]
        #expect(request.headers(forName: "X") == ["1", "2"])
        request.setHeaderValue("3", forName: "X")
        let sent = try await sent(request)
        try #expect(sent.fields.values(of: HTTPFieldName("X")) == ["3"])
        #expect(sent.fields.values(of: .cookie) == ["a=1; b=2"])
    }

    @Test func `M6: a header that cannot be sent fails the call`() async throws {
        let request = WLClient.scripted(transport).request("/a")
        request.setHeaderValue(["a"], forName: "X-List")
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.code == .invalidRequest && error?.message.contains("X-List") == true)
        #expect(transport.requests.isEmpty)
    }

    @Test func `M7: global headers apply to later requests, the last one wins, and a request's own wins over it`()
        async throws
    {
        let client = WLClient.scripted(transport)
        for value in 1...3 {
            client.removeGlobalHeader("x-tenant")
            client.addGlobalHeader("X-Tenant", headerValue: "\(value)")
        }
        client.addGlobalHeader(headerName: "X-Gone", headerValue: "1")
        client.removeGlobalHeader(headerName: "x-gone")
        #expect(client.getGlobalHeaders() as? [String: String] == ["X-Tenant": "3"])
        let plain = try await sent(client.request("/a"))
        #expect(plain.fields.values(of: try HTTPFieldName("x-tenant")) == ["3"] && plain.fields["X-Gone"] == nil)
        #expect(plain.fields["X-Requested-With"] == "XMLHttpRequest" && plain.fields[.accept] == "*/*")
        let request = client.request("/a")
        request.setHeaderValue("own", forName: "x-tenant")
        #expect(try await sent(request).fields["X-Tenant"] == "own")
    }

    @Test func `M10: a timeout is in seconds, unless the switch says milliseconds`() async throws {
        let warnings = Watched<[String]>([])
        for (unit, value, expected) in [
            (WLTimeoutUnit.seconds, 3.0, Duration.seconds(3)), (.milliseconds, 3000, .seconds(3)),
            (.seconds, 3000, .seconds(3000)),
        ] {
            let client = WLClient.scripted(transport) { configuration in
                configuration.timeoutUnit = unit
                configuration.warn = { text in warnings.update { $0.append(text) } }
            }
            let request = client.request("/a", timeout: value)
            #expect(request.timeoutInterval == value)
            let sent = try await sent(request)
            #expect(sent.options.timeouts.response == expected && sent.options.timeouts.idle == expected)
        }
        #expect(warnings.value.count == 1 && warnings.value[0].contains("timeoutUnit"))
        let client = WLClient.scripted(transport)
        client.defaultRequestTimeoutInterval = 5
        #expect(try await sent(client.request("/a")).options.timeouts.response == .seconds(5))
        let invalid = client.request("/a", timeout: 0)
        let error = await failure { () throws(WLError) in try await invalid.send() }
        #expect(error?.code == .invalidRequest)
    }

    @Test func `M28: a backend service needs a mapping, and nothing is guessed`() async throws {
        let plain = WLClient.scripted(transport).request("/cities", service: "resorts")
        let missing = await failure { () throws(WLError) in try await plain.send() }
        #expect(missing?.code == .unknownBackendService && missing?.message.contains("backendServiceURL") == true)
        let client = WLClient.scripted(transport) {
            $0.backendServiceURL = { service, path in
                service == "resorts" ? "https://mfp.example.test/connector/\(service)\(path)" : nil
            }
        }
        let other = client.request("/cities", service: "hotels")
        let unknown = await failure { () throws(WLError) in try await other.send() }
        #expect(unknown?.code == .unknownBackendService && unknown?.message.contains("hotels") == true)
        #expect(transport.requests.isEmpty)
        let sent = try await sent(client.request("/cities?page=2", service: "resorts"))
        #expect(sent.url.absoluteString == "https://mfp.example.test/connector/resorts/cities?page=2")
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `M5, M6: numbers that JSON cannot represent fail the request everywhere`(number: Double) async throws {
        let client = WLClient.scripted(transport)
        let changes: [(WLResourceRequest) -> Void] = [
            { $0.setHeaderValue(number, forName: "X-Number") }, { $0.addHeaderValue(number, forName: "X-Number") },
            { $0.setQueryParameterValue(number, forName: "n") },
            { $0.setQueryParameterValue([1, number], forName: "n") },
        ]
        for change in changes {
            let request = client.request("/adapters/A/p", WLHttpMethodPost)
            change(request)
            let error = await failure { () throws(WLError) in try await request.send() }
            #expect(error?.code == .invalidRequest)
        }
        let request = client.request("/adapters/A/p", WLHttpMethodPost)
        let form = await failure { () throws(WLError) in try await request.send(withFormParameters: ["n": number]) }
        let json = await failure { () throws(WLError) in try await request.send(withJSON: ["n": number]) }
        #expect(form?.code == .invalidRequest && json?.code == .invalidRequest)
        #expect(transport.requests.isEmpty)
    }
}
