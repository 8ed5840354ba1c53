import Patchbay

/// A client of an API like GitHub's: tokens, request IDs, a log, pages, typed errors, files, events.
struct GitHub: Sendable {
    struct Issue: Codable, Equatable, Sendable { var number: Int, title: String }
    struct Fault: Codable, Sendable { var message: String }
    struct Grant: Codable, Sendable { var token: String }
    typealias Log = @Sendable (String) -> Void
    let api: APIClient

    init(_ url: String, over stack: Stack = .standard, tokens: BearerAuthorizer, log: @escaping Log) throws {
        let stack = stack.authorizing(with: tokens, at: .baseURL)
            .modifyingRequests { $0.fields["X-Request-Id"] = UUID().uuidString }
            .onResponse(.eachAttempt) { head, request in log("\(request.method) \(request.url.path()): \(head.status)")
            }
        api = try APIClient(url, over: stack) {
            $0.fields[.userAgent] = "github-client/1"
            $0.errors = .json(Fault.self)
        }
    }

    func issues(of repository: String) -> Items<[Issue], Issue> {
        api.items("repos/\(repository)/issues", of: Issue.self, query: ["state": "open"], next: .link)
    }
    func open(_ title: String, in repository: String) async throws -> Issue {
        try await api.post("repos/\(repository)/issues", json: ["title": title])
    }
    func attach(_ file: URL, to issue: Issue, progress: @escaping @Sendable (TransferProgress) -> Void) async throws {
        try await api.post(
            "issues/\(issue.number)/files", body: .multipart(.file("file", at: file)), progress: progress)
    }
    func archive(of repository: String, to file: URL) async throws -> DownloadedFile {
        try await api.download("repos/\(repository)/archive", to: file)
    }
    func events() throws -> EventSource { try api.events("events") }
}
