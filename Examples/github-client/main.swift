// A client of an API like GitHub's, against a server in this process. GitHub.swift is the client.

import Patchbay
import PatchbayTestKit

let service = GitHubService()
let server = try LoopbackServer { request in service.script(for: request) }
try await server.stopping { server in
    let github = try GitHub(
        server.url.absoluteString, tokens: .bearer { try service.token }, log: { print("  log:", $0) })
    print("Issues, in pages:")
    for try await issue in github.issues(of: "patchbay") { print(issue.number, issue.title) }

    service.expireTokens()
    print("A new issue, with a token that has expired:")
    let issue = try await github.open("It breaks", in: "patchbay")
    print(issue.number, issue.title)
    do {
        _ = try await github.open("", in: "patchbay")
    } catch let error as ServerError<GitHub.Fault> {
        print("An error of the server:", error.body?.message ?? error.message)
    }

    let folder = FileManager.default.temporaryDirectory.appending(path: "github-client-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    print("The archive, over connections that break:")
    let archive = try await github.archive(of: "patchbay", to: folder.appending(path: "archive"))
    print(archive.byteCount, "bytes")
    print("The archive as an attachment:")
    try await github.attach(archive.url, to: issue) { progress in
        if progress.fraction == 1 { print(progress.direction, "complete") }
    }
    print("Events:")
    for try await event in try github.events() {
        print(event.type, event.data)
        if event.data == "2" { break }
    }
}
print("done")
