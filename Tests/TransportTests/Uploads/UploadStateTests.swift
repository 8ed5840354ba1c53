import Foundation
import HTTPMessages
import Testing

@testable import Transport

@Suite struct UploadStateTests {
    private static let endpoint = URL(string: "https://h.test/files")

    private func state(_ kind: UploadProtocol.Kind = .tus) throws -> UploadState {
        UploadState(kind, endpoint: try #require(Self.endpoint), length: 100, limit: 10)
    }

    private func head(_ status: Int, _ fields: KeyValuePairs<String, String> = [:]) throws -> HTTPResponseHead {
        HTTPResponseHead(
            status: try #require(HTTPStatus(status)), fields: try HTTPFields(fields), url: try #require(Self.endpoint))
    }

    @Test(arguments: [UploadProtocol.Kind.tus, .ietf])
    func `a server that takes no bytes is asked again after a wait`(kind: UploadProtocol.Kind) throws {
        var state = try state(kind)
        #expect(try state.received(head(201, ["Location": "/files/1"])) == .proceed)
        #expect(try state.received(head(204, ["Upload-Offset": "0"])) == .wait)
        #expect(try state.received(head(204, ["Upload-Offset": "10"])) == .proceed)
        #expect(try state.received(head(204, ["Upload-Offset": "10"])) == .wait)
        #expect(state.offset == 10)
    }

    @Test func `an upload does not go on in clear text`() throws {
        var state = try state()
        let error = #expect(throws: UploadError.self) {
            try state.received(head(201, ["Location": "http://h.test/files/1"]))
        }
        #expect(error?.code == .unsupported && state.upload == nil)
    }
}
