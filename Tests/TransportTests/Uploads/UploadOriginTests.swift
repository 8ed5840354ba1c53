import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@testable import Transport

/// Uploads that a server has created at another origin than that of the endpoint.
@Suite(.needsSlot) struct UploadOriginTests {
    private static let content = bytes(1000)
    private let folder = try? TemporaryFolder()

    private func endpoint() throws -> URL { try #require(URL(string: "http://files.example/films")) }

    @Test func `12: secrets are not sent to the upload at another origin`() async throws {
        let seen = Mutex<[HTTPRequest]>([])
        let transport = FakeTransport { request in
            seen.withLock { $0.append(request) }
            guard request.method == .post else { return request.response(.noContent) }
            return request.response(.created, fields: try HTTPFields(["Location": "http://other.example/u"]))
        }
        let options = UploadOptions { $0.fields[.authorization] = "Bearer s3cret" }
        try await transport.upload(.bytes(Data("x".utf8)), to: endpoint(), resuming: .ietf, options: options)
        #expect(seen.withLock { $0.map { $0.fields.contains(.authorization) } } == [true, false])
    }

    @Test func `the target of a redirect does not choose what the user's credentials change`() async throws {
        let record = try #require(folder).url.appending(path: "film.upload")
        let seen = Watched<[String]>([])
        let transport = FakeTransport { request in
            seen.update { $0.append("\(request.method) \(request.url.absoluteString)") }
            guard request.method == .post else { return request.response(.noContent) }
            let isRedirected = request.url.host() == "other.example"
            let location = isRedirected ? "http://files.example/users/17" : "http://other.example/up"
            return request.response(
                isRedirected ? .created : .temporaryRedirect, fields: try HTTPFields(["Location": location]))
        }
        let error = await #expect(throws: UploadError.self) {
            try await transport.redirecting().upload(
                .bytes(Self.content), to: endpoint(), resuming: .ietf, options: UploadOptions { $0.record = record })
        }
        #expect(error?.code == .unsupported && error?.message.contains("through http://other.example:80,") == true)
        #expect(seen.value == ["POST http://files.example/films", "POST http://other.example/up"])
        #expect(!FileManager.default.fileExists(atPath: record.path))
    }

    @Test func `a record of version 1, whose upload a redirect may have chosen, is not used`() async throws {
        let record = try #require(folder).url.appending(path: "film.upload")
        let fingerprint = try UploadSource(.bytes(Self.content)).fingerprint()
        let text = """
            {"endpoint": "http://files.example/films", "upload": "http://files.example/users/17", "length": 1000,
            "fingerprint": "\(fingerprint)", "version": 1}
            """
        try Data(text.utf8).write(to: record)
        let shelf = UploadShelf(.tus)
        try await FakeTransport { try await shelf.respond(to: $0) }.upload(
            .bytes(Self.content), to: endpoint(), resuming: .tus, options: UploadOptions { $0.record = record })
        #expect(shelf.methods == ["POST", "PATCH"])
    }

    @Test(arguments: [("/u", nil), ("http://other.example/u", .unsupported)] as [(String, UploadError.Code?)])
    func `a body with credentials is not sent to the upload at another origin`(
        upload: String, code: UploadError.Code?
    ) async throws {
        let record = try #require(folder).url.appending(path: "film.upload")
        let methods = Watched<[String]>([])
        let transport = FakeTransport { request in
            methods.update { $0.append(request.method.name) }
            return request.response(.created, fields: try HTTPFields(["Location": upload]))
        }
        var error: UploadError?
        do {
            try await transport.upload(
                .bytes(Self.content), to: endpoint(), resuming: .ietf,
                options: UploadOptions {
                    $0.record = record
                    $0.requestOptions.hasSecretBody = true
                })
        } catch let failure as UploadError { error = failure }
        #expect(error?.code == code && error?.message.contains("http://other.example:80,") ?? true)
        #expect(!FileManager.default.fileExists(atPath: record.path))
        #expect(methods.value == (code == nil ? ["POST", "PATCH"] : ["POST"]))
    }
}
