import ExampleSupport
import Patchbay
import PatchbayTestKit

@main struct ResumedDownload: Example {
    static let name = "resumed-download"
    static let summary =
        "Downloads over connections that break: within a call, after a restart of the app, and verified."
    static let requirements = """
        URL is that of a file of more than 400 kB. The server sends an ETag and continues at a byte (Range). With a
        Repr-Digest the file is verified.
        """
    static let path = "/catalog"

    static func startServer() throws -> LoopbackServer { try Catalog.start() }

    static func run(at server: String) async throws {
        let request = try HTTPRequest(.get, server)
        try await ScratchFolder.with { folder in
            print("One call continues where a connection broke:")
            let first = folder.appending(path: "first")
            let file = try await Stack.standard.download(
                request, to: first, options: .retrying,
                observer: ProgressObserver { progress in
                    if progress.fraction == 1 { print("  100 %") }
                })
            print("  \(file.byteCount) bytes")

            print("A call that fails keeps what it has, and so does an app that is killed:")
            let second = folder.appending(path: "second")
            try await download(request, to: second)

            print("Verified if the server sends a digest, and only then at its place:")
            var options = DownloadOptions.retrying
            options.digest = .checkedIfSent
            let verified = folder.appending(path: "verified")
            try await Stack.standard.download(request, to: verified, options: options)
            print(
                "  the same content: \(FileManager.default.contentsEqual(atPath: first.path, andPath: verified.path))")

            print("Another file than expected:")
            options.digest = .sha256(Data(count: 32))
            let wrong = folder.appending(path: "wrong")
            do {
                try await Stack.standard.download(request, to: wrong, options: options)
                throw Unexpected("The digest was not compared.")
            } catch let error as DownloadError where error.code == .digestMismatch {
                print("  \(error.code); at its place: \(FileManager.default.fileExists(atPath: wrong.path))")
            }
        }
    }

    /// What may be over at the next start.
    private static let interruptions: [TransportError.Code] = [
        .connectionLost, .connectionRefused, .hostNotFound, .timedOut, .truncated, .unreachable,
    ]

    /// Calls until the file is there, as an app does each time it starts.
    private static func download(_ request: HTTPRequest, to target: URL) async throws {
        // One attempt per call; the default of `retrying` would do all of this in one.
        let options = DownloadOptions(resumes: true)
        for start in 1...5 {
            do {
                let file = try await URLSessionTransport.shared.download(request, to: target, options: options)
                print("  start \(start): complete, \(file.byteCount) bytes; resumed: \(file.resumedBytes > 0)")
                return
            } catch let error as TransportError where interruptions.contains(error.code) {
                print(
                    "  start \(start): interrupted; at its place: "
                        + "\(FileManager.default.fileExists(atPath: target.path))")
                guard start < 5 else { throw error }
                try await Task.sleep(for: .milliseconds(100 * start))
            }
        }
    }
}
