import Patchbay
import PatchbayTestKit
import TestSupport
import Testing

@testable import github_client

@Suite(.needsSlot) struct GitHubTests {
    private let service = GitHubService()
    private let folder = try? TemporaryFolder()
    private let log = Watched<[String]>([])

    /// Runs a body with a client of the service over real sockets.
    private func withGitHub(_ body: (GitHub, LoopbackServer) async throws -> Void) async throws {
        let (service, log) = (service, log)
        let server = try LoopbackServer { request in service.script(for: request) }
        try await server.stopping { server in
            let github = try GitHub(
                server.url.absoluteString, over: .standard(over: TestTransport.withoutDeadlines),
                tokens: .bearer { try service.token }, log: { line in log.update { $0.append(line) } })
            try await body(github, server)
        }
    }

    @Test func `issues come in pages, by the Link field`() async throws {
        try await withGitHub { github, server in
            var numbers: [Int] = []
            for try await issue in github.issues(of: "a/b") { numbers.append(issue.number) }
            #expect(numbers == [1, 2, 3, 4, 5])
            #expect(server.requests.map(\.target).first == "/repos/a%2Fb/issues?state=open")
            #expect(server.requests.count == 3 && Set(server.requests.map { $0.fields["X-Request-Id"] }).count == 3)
            #expect(log.value.count == 3 && log.value.allSatisfy { $0.hasSuffix("200 OK") })
        }
    }

    @Test func `an expired token is replaced, and a fault of the server is typed`() async throws {
        try await withGitHub { github, server in
            let first = try await github.open("One", in: "a")
            service.expireTokens()
            let second = try await github.open("Two", in: "a")
            #expect(first.number == 6 && second == GitHub.Issue(number: 7, title: "Two") && server.requests.count == 3)
            let error = await #expect(throws: ServerError<GitHub.Fault>.self) { try await github.open("", in: "a") }
            #expect(error?.body?.message == "A title is missing" && error?.status == .unprocessableContent)
        }
    }

    @Test func `an archive arrives over connections that break, and is attached with progress`() async throws {
        try await withGitHub { github, server in
            let file = try #require(folder).url.appending(path: "archive")
            let archive = try await github.archive(of: "a", to: file)
            #expect(try archive.byteCount == 500_000 && Data(contentsOf: file) == GitHubService.archive)
            let sent = Watched<[Double]>([])
            try await github.attach(file, to: GitHub.Issue(number: 1, title: "")) { progress in
                if progress.direction == .upload { sent.update { $0.append(progress.fraction ?? 0) } }
            }
            #expect(sent.value.last == 1 && sent.value == sent.value.sorted())
        }
    }

    @Test func `events arrive`() async throws {
        try await withGitHub { github, _ in
            var events: [String] = []
            for try await event in try github.events() {
                events.append(event.data)
                if events.count == 2 { break }
            }
            #expect(events == ["1", "2"])
        }
    }
}
