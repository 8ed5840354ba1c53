import ExampleSupport
import Patchbay
import PatchbayTestKit
import Synchronization

/// The server of the example: pages with `Link` fields, tokens that expire, an archive whose connections break.
final class GitHubService: HTTPService {
    private struct State {
        var token = 1
        /// The requests that the token is still good for.
        var uses = Int.max
        var issues = (1...5).map { GitHub.Issue(number: $0, title: "Issue \($0)") }
    }

    static let archive = Data((0..<500_000).map { UInt8(truncatingIfNeeded: $0 >> 5) })
    private static let file = ServedFile(archive, bytesPerConnection: 200_000)
    private let usesPerToken: Int
    private let state = Mutex(State())

    /// - Parameter usesPerToken: the requests after which a token of `POST /tokens` has expired.
    init(usesPerToken: Int = .max) { self.usesPerToken = usesPerToken }

    /// The token that the server accepts.
    var token: OAuthToken {
        get throws { try OAuthToken("token-\(state.withLock(\.token))") }
    }

    /// Rejects the tokens of before.
    func expireTokens() { state.withLock { $0.token += 1 } }

    /// The steps of the server for a request. The archive breaks off after 200 kB.
    func script(for request: RecordedRequest) -> ServerScript {
        guard request.target.hasSuffix("/archive") else { return [.respond(with: self)] }
        guard isAuthorized(request.fields) else { return [.respond(with: self)] }
        return Self.file.script(for: request)
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        if request.method == .post, request.url.lastPathComponent == "tokens" {
            return request.response(.created, json: ["token": .string("token-\(newToken())")])
        }
        guard isAuthorized(request.fields) else {
            return request.response(.unauthorized, json: ["message": "Bad credentials"])
        }
        switch (request.method, request.url.pathComponents.last) {
        case (.get, "issues"): return try page(for: request)
        case (.post, "issues"):
            let body = try await request.body.collect(upTo: 10_000)
            guard let title = try JSONValue(parsing: body)["title"]?.string, !title.isEmpty else {
                return request.response(.unprocessableContent, json: ["message": "A title is missing"])
            }
            let issue = state.withLock { state in
                state.issues.append(GitHub.Issue(number: state.issues.count + 1, title: title))
                return state.issues[state.issues.count - 1]
            }
            return request.response(.created, json: Self.json(issue))
        case (.post, "files"):
            return request.response(text: "\(try await request.body.collect(upTo: 8 << 20).count)")
        case (.get, "events"):
            var response = request.response(body: Data("event: push\ndata: 1\n\nevent: push\ndata: 2\n\n".utf8))
            response.head.fields[.contentType] = "text/event-stream"
            return response
        default: return request.response(.notFound, json: ["message": "Not Found"])
        }
    }

    private func newToken() -> Int {
        state.withLock { state in
            state.token += 1
            state.uses = usesPerToken
            return state.token
        }
    }

    private func isAuthorized(_ fields: HTTPFields) -> Bool {
        state.withLock { state in
            guard state.uses > 0, fields[.authorization] == "Bearer token-\(state.token)" else { return false }
            state.uses -= 1
            return true
        }
    }

    /// Two issues, and the link to the next page.
    private func page(for request: HTTPRequest) throws -> HTTPResponse {
        let number = Query(parsing: request.url.query() ?? "")["page"].flatMap { Int($0) } ?? 1
        let all = state.withLock(\.issues)
        let issues = all.dropFirst((number - 1) * 2).prefix(2)
        var response = request.response(json: .array(issues.map(Self.json)))
        if number * 2 < all.count {
            response.head.fields["Link"] = "<\(request.url.path)?page=\(number + 1)>; rel=\"next\""
        }
        return response
    }

    private static func json(_ issue: GitHub.Issue) -> JSONValue {
        ["number": .number(Double(issue.number)), "title": .string(issue.title)]
    }
}
