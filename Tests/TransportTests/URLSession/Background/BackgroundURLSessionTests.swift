#if canImport(Darwin)
    import Foundation
    import HTTPMessages
    import PatchbayTestKit
    import TestSupport
    import Testing

    @testable import Transport

    /// The system's own session. `.ci/mac background` runs it and prints what it has found.
    @Suite(
        .needsSlot,
        .enabled(
            if: ProcessInfo.processInfo.environment["PATCHBAY_BACKGROUND"] != nil, "PATCHBAY_BACKGROUND is not set."))
    struct BackgroundURLSessionTests {
        /// Runs a test with the transfers of a name, and leaves no task at the system.
        ///
        /// The system keeps a session for each name, so each test has the same one in each run. It cancels what a run
        /// that was killed has left when it is opened: there is no record of it.
        private func run(
            _ name: String, _ body: (BackgroundTransfers, TemporaryFolder) async throws -> Void
        ) async throws {
            let folder = try TemporaryFolder()
            let transfers = try BackgroundTransfers(
                name: "patchbay.tests.\(name)", folder: folder.url.appending(path: "records"))
            let result: Result<Void, any Error>
            do { result = .success(try await body(transfers, folder)) } catch { result = .failure(error) }
            for transfer in await transfers.transfers where transfer.state == .running {
                await transfers.cancel(transfer.id)
            }
            try result.get()
        }

        private func completed(_ id: UUID, of transfers: BackgroundTransfers) async -> BackgroundTransfer? {
            for await transfer in transfers.completions where transfer.id == id {
                print("background: \(transfer.request) \(transfer.state) \(transfer.progress)")
                return transfer
            }
            return nil
        }

        private func status(_ transfer: BackgroundTransfer?) -> HTTPStatus? {
            switch transfer?.state {
            case .finished(let head): head.status
            case .failed(let failure): failure.status
            case .running, nil: nil
            }
        }

        @Test func `a download and an upload complete`() async throws {
            let content = bytes(1 << 20)
            let service = ClosureService { request in
                request.method == .put ? request.response(.created) : request.response(body: content)
            }
            try await run("complete") { transfers, folder in
                try await withServer(service: service) { server, _ in
                    let file = folder.url.appending(path: "file")
                    let down = try await transfers.download(HTTPRequest(.get, server.url(of: "/down")), to: file)
                    #expect(status(await completed(down.id, of: transfers)) == .ok)
                    #expect(try Data(contentsOf: file) == content)
                    let up = try await transfers.upload(
                        HTTPRequest(.put, server.url(of: "/up"), body: .file(at: file)))
                    #expect(status(await completed(up.id, of: transfers)) == .created)
                    let sent = server.requests.last
                    #expect(sent?.body == content)
                    print("background: fields of an upload task: \(sent?.fields.map(\.name.rawName) ?? [])")
                }
            }
        }

        @Test func `a status that is no success is a failure, and a cancelled transfer too`() async throws {
            try await run("failed") { transfers, folder in
                try await withServer(service: ClosureService { $0.response(.notFound) }) { server, _ in
                    let file = folder.url.appending(path: "file")
                    let missing = try await transfers.download(HTTPRequest(.get, server.url(of: "/")), to: file)
                    #expect(status(await completed(missing.id, of: transfers)) == .notFound)
                    #expect(!FileManager.default.fileExists(atPath: file.path))
                }
                let port = try RefusedPort()
                let waiting = try await transfers.download(
                    HTTPRequest(.get, "http://127.0.0.1:\(port.port)/"), to: folder.url.appending(path: "other"))
                await transfers.cancel(waiting.id)
                guard case .failed(let failure)? = await completed(waiting.id, of: transfers)?.state else {
                    return #expect(Bool(false))
                }
                #expect(failure.reason == .cancelled)
            }
        }
    }
#endif
