import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

/// Responses with a wrong proof of their body (Digest with `auth-int`).
@Suite(.needsSlot) struct ForgedResponseTests {
    /// A server that challenges, then sends a body that it cannot prove.
    private static func transport() -> ScriptedTransport {
        ScriptedTransport { request in
            guard request.fields[.authorization]?.hasPrefix("Digest ") == true else {
                let challenge = #"Digest realm="r", nonce="n", qop="auth-int""#
                return request.response(.unauthorized, fields: try HTTPFields(["WWW-Authenticate": challenge]))
            }
            return request.response(
                fields: try HTTPFields([
                    "Authentication-Info": #"rspauth="0123", qop=auth-int"#, "Cache-Control": "max-age=60",
                    "ETag": "\"1\"", "Content-Length": "6",
                ]), body: Data("forged".utf8))
        }
    }

    private static func request(_ session: SDMSession) -> SDMHttpRequest {
        let request = session.get(URL(string: "http://example.com/"))
        (request.username, request.password) = ("ann", "secret")
        return request
    }

    @Test(arguments: [SDMCachePolicy.reloadIfDifferent, .useCacheIfLoadFails])
    func `S43: a forged response is not cached`(policy: SDMCachePolicy) async throws {
        let session = SDMSession.test(Self.transport())
        for _ in 0..<2 {
            let request = Self.request(session)
            request.downloadCache = session.downloadCache
            request.cachePolicy = policy
            #expect(await request.ended()?.code == .authentication && !request.didUseCachedResponse)
        }
    }

    @Test(arguments: [nil, false, true] as [Bool?])
    func `S28: a forged response replaces no file, and its bytes are not continued`(isResumable: Bool?) async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "file")
        try Data("good".utf8).write(to: file)
        let request = Self.request(SDMSession.test(Self.transport()))
        request.downloadDestinationPath = file.path
        if let isResumable {
            request.temporaryFileDownloadPath = folder.url.appending(path: "part").path
            request.allowResumeForFileDownloads = isResumable
        }
        #expect(await request.ended()?.code == .authentication)
        #expect(try Data(contentsOf: file) == Data("good".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["file"])
    }

    @Test func `S27: a part of a body with a proof is not continued`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "file")
        let transport = ProvenCut()
        let session = SDMSession.test(transport)
        let request = Self.request(session)
        request.downloadDestinationPath = file.path
        request.temporaryFileDownloadPath = folder.url.appending(path: "part").path
        request.allowResumeForFileDownloads = true
        // A lost connection is retried once.
        #expect(await request.ended()?.code == .connectionFailure)
        #expect(transport.ranges.value == [nil, nil, nil])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    /// A server that challenges, then loses each connection after a part of a body that it wants to prove.
    private struct ProvenCut: StreamingTransport {
        let ranges = Watched<[String?]>([])

        func send(
            _ request: HTTPMessages.HTTPRequest, observer: (any TransferObserver)?
        ) async throws -> HTTPResponse {
            try await stream(request, observer: observer).collect()
        }

        func stream(
            _ request: HTTPMessages.HTTPRequest, observer: (any TransferObserver)?
        ) async throws -> HTTPResponseStream {
            ranges.update { $0.append(request.fields[.range]) }
            let isChallenge = request.fields[.authorization]?.hasPrefix("Digest ") != true
            let fields: HTTPFields =
                isChallenge
                ? try HTTPFields(["WWW-Authenticate": #"Digest realm="r", nonce="n", qop="auth-int""#])
                : try HTTPFields([
                    "Authentication-Info": #"rspauth="0123", qop=auth-int"#, "ETag": "\"1\"", "Content-Length": "6",
                ])
            let head = HTTPResponseHead(
                status: isChallenge ? .unauthorized : .ok, fields: fields, url: request.url)
            let empty = AsyncThrowingStream<Data, any Error> { $0.finish() }
            return HTTPResponseStream(head: head, body: isChallenge ? empty : .cut(after: "for", of: request))
        }
    }
}
