import Foundation
import HTTPMessages
import Testing
import Transport

@Suite struct DownloadErrorSubjectTests {
    private func name(_ subject: DownloadError.Subject) -> String {
        switch subject {
        case .response(let response):
            "response \(response.status.code) \(String(decoding: response.body, as: UTF8.self))"
        case .request: "request"
        case .transfer: "transfer"
        case .file: "file"
        }
    }

    @Test(
        arguments: [
            (.invalidTarget, "file"), (.missingFolder, "file"), (.notWritable, "file"), (.diskFull, "file"),
            (.fileFailure, "file"), (.inUse, "file"), (.notResumable, "request"), (.tooLarge, "transfer"),
            (.unexpectedRange, "transfer"), (.unacceptableStatus, "transfer"),
        ] as [(DownloadError.Code, String)])
    func `each code has a subject`(code: DownloadError.Code, subject: String) {
        #expect(name(DownloadError(code, "m").subject) == subject)
    }

    @Test func `the subject of an unacceptable status is the response`() throws {
        let response = HTTPResponse(status: .notFound, url: try URL(httpString: "http://h.test/"))
        let error = DownloadError(
            .unacceptableStatus, "m", head: response.head, bodyPrefix: Data("No such file".utf8))
        #expect(name(error.subject) == "response 404 No such file")
    }
}
