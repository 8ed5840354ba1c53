import Foundation
import HTTPMessages
import Patchbay
import ResponseDecoding
import Transport

extension Harness {
    /// Measures what the client adds to a call, and a list of many pages.
    func client() async throws -> [Figure] {
        struct Item: Codable, Sendable { var id: Int, name: String }
        let operations = count(20_000)
        let body = Data(#"{"id":7,"name":"jack plate"}"#.utf8)
        let transport = FakeTransport {
            HTTPResponse(status: .ok, fields: jsonFields, body: body, url: $0.url)
        }
        let client = try APIClient("https://example.com/v1", over: transport)
        let decoder = JSONResponseDecoder(Item.self)
        let pages = FakeTransport { HTTPResponse(status: .ok, body: Data("[1,2]".utf8), url: $0.url) }
        let lists = try APIClient("https://example.com/v1", over: pages)
        return [
            try await compare(
                "Decoded GET of the client, with a query", operations: operations, against: "the parts by hand",
                subject: {
                    for number in 0..<operations {
                        let item: Item = try await client.get("items/\(number)", query: ["state": "open"])
                        precondition(item.id == 7)
                    }
                },
                baseline: {
                    for number in 0..<operations {
                        let request = try HTTPRequest(
                            .get, "https://example.com/v1/items/\(number)?state=open", fields: jsonFields)
                        let item = try await transport.send(request).decoded(as: decoder)
                        precondition(item.id == 7)
                    }
                }),
            try await compare(
                "Page of a list, by cursor", operations: operations, against: "calls of the client",
                subject: {
                    let next = NextPage<[Int]> { _, request in
                        try request.settingQuery("page", "\(Int.random(in: 0..<(.max)))")
                    }
                    let limits = PageLimits(maximumPages: operations)
                    var count = 0
                    do {
                        for try await page in lists.pages("a", of: [Int].self, next: next, limits: limits) {
                            count += page.value.count
                        }
                    } catch PageError.Code.tooManyPages {}
                    precondition(count >= 2 * (operations - 1))
                },
                baseline: {
                    for number in 0..<operations {
                        let page: [Int] = try await lists.get("a", query: ["page": number])
                        precondition(page.count == 2)
                    }
                }),
        ]
    }
}

private let jsonFields: HTTPFields = {
    var fields = HTTPFields()
    fields[.contentType] = "application/json"
    return fields
}()
