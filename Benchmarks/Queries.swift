import Foundation
import RequestModel

private struct Search: Encodable {
    var state = "open"
    var text = "sofa & more"
    var isNew = true
    var page = 2
    var perPage: Int? = 50
    var ratio = 0.75
    var sort = "created"
    var labels = ["bug", "help wanted"]
    var owner: String?
}

extension Harness {
    /// Measures the encoding of query parameters, given one by one and by the properties of a type.
    func queries() async throws -> [Figure] {
        let operations = count(20_000)
        let pairs = [
            ("state", "open"), ("text", "sofa & more"), ("isNew", "true"), ("page", "2"), ("perPage", "50"),
            ("ratio", "0.75"), ("sort", "created"), ("labels", "bug"), ("labels", "help wanted"),
        ]
        let search = Search()
        let components = {
            for _ in 0..<operations {
                var components = URLComponents()
                components.queryItems = pairs.map { URLQueryItem(name: $0, value: $1) }
                precondition(components.percentEncodedQuery?.isEmpty == false)
            }
        }
        return [
            try await compare(
                "Query of nine parameters", operations: operations, against: "URLComponents",
                subject: { for _ in 0..<operations { precondition(!Query(pairs).text().isEmpty) } },
                baseline: components),
            try await compare(
                "Query of an Encodable type with nine parameters", operations: operations, against: "URLComponents",
                subject: {
                    for _ in 0..<operations {
                        let text = try Query(encoding: search).text()
                        precondition(!text.isEmpty)
                    }
                },
                baseline: components),
        ]
    }

    /// Measures the expansion of a URI template.
    func templates() async throws -> [Figure] {
        let operations = count(20_000)
        let template = try URITemplate("/repos/{owner}/{name}/issues{?state,labels,page}")
        let (owner, name) = ("swift lang", "swift-http/types")
        return [
            try await compare(
                "URI template of five variables", operations: operations, against: "URLComponents",
                subject: {
                    for _ in 0..<operations {
                        let text = try template.expand([
                            "owner": owner, "name": name, "state": "open", "labels": "help wanted", "page": 2,
                        ])
                        precondition(!text.isEmpty)
                    }
                },
                baseline: {
                    for _ in 0..<operations {
                        var components = URLComponents()
                        // As in a client without templates: the path's setter does not escape slashes in values.
                        components.path = "/repos/\(owner)/\(name)/issues"
                        components.queryItems = [
                            URLQueryItem(name: "state", value: "open"),
                            URLQueryItem(name: "labels", value: "help wanted"),
                            URLQueryItem(name: "page", value: "2"),
                        ]
                        precondition(components.string?.isEmpty == false)
                    }
                })
        ]
    }
}
