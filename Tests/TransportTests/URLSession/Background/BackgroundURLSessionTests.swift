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
        private let folder: TemporaryFolder
        private let transfers: BackgroundTransfers

        init() throws {
            folder = try TemporaryFolder()
            transfers = try BackgroundTransfers(
                name: "patchbay.tests.\(UUID().uuidString)", folder: folder.url.appending(path: "records"))
        }

        private func completed(_ id: UUID) async -> BackgroundTransfer? {
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
            try await withServer(service: service) { server, _ in
                let file = folder.url.appending(path: "file")
                let down = try await transfers.download(HTTPRequest(.get, server.url(of: "/down")), to: file)
                #expect(status(await completed(down.id)) == .ok)
                #expect(try Data(contentsOf: file) == content)
                let up = try await transfers.upload(
                    HTTPRequest(.put, server.url(of: "/up"), body: .file(at: file)))
                #expect(status(await completed(up.id)) == .created)
                let sent = server.requests.last
                #expect(sent?.body == content)
                print("background: fields of an upload task: \(sent?.fields.map(\.name.rawName) ?? [])")
            }
        }

        @Test func `a status that is no success is a failure, and a cancelled transfer too`() async throws {
            try await withServer(service: ClosureService { $0.response(.notFound) }) { server, _ in
                let file = folder.url.appending(path: "file")
                let missing = try await transfers.download(HTTPRequest(.get, server.url(of: "/")), to: file)
                #expect(status(await completed(missing.id)) == .notFound)
                #expect(!FileManager.default.fileExists(atPath: file.path))
            }
            let port = try RefusedPort()
            let waiting = try await transfers.download(
                HTTPRequest(.get, "http://127.0.0.1:\(port.port)/"), to: folder.url.appending(path: "other"))
            await transfers.cancel(waiting.id)
            guard case .failed(let failure)? = await completed(waiting.id)?.state else { return #expect(Bool(false)) }
            #expect(failure.reason == .cancelled)
        }
    }
#endif
