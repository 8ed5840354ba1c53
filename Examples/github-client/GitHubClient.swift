import ExampleSupport
import Patchbay
import PatchbayTestKit

@main struct GitHubClient: Example {
    static let name = "github-client"
    static let summary =
        "A client of a JSON API: tokens, pages, typed errors, files and events. GitHub.swift is the client."
    static let requirements = """
        The API is like GitHub's: POST /tokens returns {"token": "..."}; with this token as a bearer token,
        /repos/patchbay/issues (GET in pages with Link, POST with a title), GET /repos/patchbay/archive,
        POST /issues/NUMBER/files, and GET /events, server-sent ones, the second of which has the data 2.
        A run opens an issue, with a file.
        """

    static func startServer() throws -> LoopbackServer {
        let service = GitHubService(usesPerToken: 5)
        return try LoopbackServer { request in service.script(for: request) }
    }

    static func run(at server: String) async throws {
        let entrance = try APIClient(server)
        // Called for the first request, and when the server rejects a token; by one request at a time.
        let tokens = BearerAuthorizer {
            print("  log: a new token")
            let grant: GitHub.Grant = try await entrance.post("tokens")
            return try OAuthToken(grant.token)
        }
        let github = try GitHub(server, tokens: tokens, log: { print("  log:", $0) })
        print("Issues, in pages:")
        for try await issue in github.issues(of: "patchbay") { print("  \(issue.number) \(issue.title)") }

        print("A new issue:")
        let issue = try await github.open("It breaks", in: "patchbay")
        print("  \(issue.number) \(issue.title)")
        do {
            _ = try await github.open("", in: "patchbay")
            throw Unexpected("The server takes an issue without a title.")
        } catch let error as ServerError<GitHub.Fault> {
            print("An error of the server: \(error.body?.message ?? error.message)")
        }
        try await ScratchFolder.with { folder in
            print("The archive, over connections that break; the token has expired, and is replaced:")
            let archive = try await github.archive(of: "patchbay", to: folder.appending(path: "archive"))
            print("  \(archive.byteCount) bytes")
            print("The archive as an attachment:")
            try await github.attach(archive.url, to: issue) { progress in
                if progress.direction == .upload, progress.fraction == 1 { print("  sent") }
            }
        }
        print("Events:")
        for try await event in try github.events() {
            print("  \(event.type) \(event.data)")
            if event.data == "2" { break }
        }
    }
}
