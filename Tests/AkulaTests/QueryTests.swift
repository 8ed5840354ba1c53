import Akula
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@Suite(.needsSlot) struct QueryTests {
    private static let rows: [(name: String, value: String, sent: String)] = [
        ("space", "a b", "space=a%20b"), ("plus", "a+b", "plus=a%2Bb"), ("ampersand", "a&b=c", "ampersand=a%26b%3Dc"),
        ("percent", "100%", "percent=100%25"), ("encoded", "%20", "encoded=%2520"),
        ("cyrillic", "Ключ", "cyrillic=%D0%9A%D0%BB%D1%8E%D1%87"),
        ("emoji", "👩‍🔧", "emoji=%F0%9F%91%A9%E2%80%8D%F0%9F%94%A7"),
        ("empty", "", "empty="), ("hash", "#?/", "hash=%23%3F%2F"), ("quote", "\"'<>", "quote=%22%27%3C%3E"),
        ("brackets[]", "[1]", "brackets%5B%5D=%5B1%5D"), ("имя", "1", "%D0%B8%D0%BC%D1%8F=1"),
        ("a=b&c", "d", "a%3Db%26c=d"),
        ("kept", "aZ9-._~", "kept=aZ9-._~"), ("lines", "a\r\nb\u{0}", "lines=a%0D%0Ab%00"),
        ("semicolon", "a;b,c", "semicolon=a%3Bb%2Cc"),
    ]

    @Test(arguments: rows)
    func `Akula 11: special characters are percent-encoded as the RFC requires`(
        row: (name: String, value: String, sent: String)
    ) async throws {
        try await Fixture.run { fixture in
            fixture.agent.requestData.addQueryParameter(row.name, value: row.value)
            try await fixture.agent.get("/x")
            #expect(fixture.server?.requests.map(\.requestLine) == ["GET /akula/app/x?\(row.sent) HTTP/1.1"])
        } respond: {
            $0.response()
        }
    }

    @Test(arguments: Verb.allCases)
    func `Akula 11: agent and call parameters are sent in order`(verb: Verb) async throws {
        try await Fixture.run { fixture in
            let data = AKHTTPRequestData()
            for (index, row) in Self.rows.enumerated() {
                let target = index < 8 ? fixture.agent.requestData : data
                target.addQueryParameter(row.name, value: row.value)
            }
            _ = try await verb.sendAsync(fixture.agent, "/x", data)
            let expected = Self.rows.map(\.sent).joined(separator: "&")
            #expect(fixture.server?.requests.map(\.target) == ["/akula/app/x?\(expected)"])
        } respond: {
            $0.response()
        }
    }

    @Test func `Akula 11: parameters follow the endpoint's own query, which is unchanged`()
        async throws
    {
        try await Fixture.run { fixture in
            let data = AKHTTPRequestData()
            data.addQueryParameter("b", value: "2 3")
            for endpoint in ["/x?a=1+1%20", "/x?", "/x?a=1&", "/x?a=%zz"] {
                try await fixture.agent.get(endpoint, requestData: data)
            }
            let queries = ["a=1+1%20&b=2%203", "b=2%203", "a=1&b=2%203", "a=%25zz&b=2%203"]
            #expect(fixture.server?.requests.map(\.target) == queries.map { "/akula/app/x?\($0)" })
        } respond: {
            $0.response()
        }
    }
}
