import Akula
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@Suite("Akula 11: encoding of URL parameters", .needsSlot) struct QueryTests {
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

    @Test("Akula 11: each character arrives as it was meant, and byte by byte as the RFC wants it", arguments: rows)
    func bytes(row: (name: String, value: String, sent: String)) async throws {
        try await Bench.run { bench in
            bench.agent.requestData.addQueryParameter(row.name, value: row.value)
            try await bench.agent.get("/x")
            #expect(bench.server?.requests.map(\.requestLine) == ["GET /akula/app/x?\(row.sent) HTTP/1.1"])
        } answer: {
            $0.reply()
        }
    }

    @Test("Akula 11: all of them at once, in order, agent's and call's", arguments: Verb.allCases)
    func all(verb: Verb) async throws {
        try await Bench.run { bench in
            let data = AKHTTPRequestData()
            for (index, row) in Self.rows.enumerated() {
                let target = index < 8 ? bench.agent.requestData : data
                target.addQueryParameter(row.name, value: row.value)
            }
            _ = try await verb.awaited(bench.agent, "/x", data)
            let expected = Self.rows.map(\.sent).joined(separator: "&")
            #expect(bench.server?.requests.map(\.target) == ["/akula/app/x?\(expected)"])
        } answer: {
            $0.reply()
        }
    }

    @Test("Akula 11: parameters follow those that the endpoint has, which stay as they are") func endpointQuery()
        async throws
    {
        try await Bench.run { bench in
            let data = AKHTTPRequestData()
            data.addQueryParameter("b", value: "2 3")
            for endpoint in ["/x?a=1+1%20", "/x?", "/x?a=1&", "/x?a=%zz"] {
                try await bench.agent.get(endpoint, requestData: data)
            }
            let queries = ["a=1+1%20&b=2%203", "b=2%203", "a=1&b=2%203", "a=%25zz&b=2%203"]
            #expect(bench.server?.requests.map(\.target) == queries.map { "/akula/app/x?\($0)" })
        } answer: {
            $0.reply()
        }
    }
}
