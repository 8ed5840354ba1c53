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
        let upload = try #require(state.upload)
        #expect(state.step == .ask(upload))
        #expect(try state.received(head(204, ["Upload-Offset": "10"])) == .proceed)
        #expect(state.step == .send(upload, 10..<20))
        #expect(try state.received(head(204, ["Upload-Offset": "10"])) == .wait)
        #expect(state.offset == 10 && state.step == .ask(upload))
    }

    @Test func `a success of tus without an offset is asked about`() throws {
        var state = try state(.tus)
        _ = try state.received(head(201, ["Location": "/files/1"]))
        // Such as the page of a gateway.
        #expect(try state.received(head(200)) == .wait)
        let upload = try #require(state.upload)
        #expect(state.offset == 0 && state.step == .ask(upload))
    }

    @Test func `an upload does not go on in clear text`() throws {
        var state = try state()
        let error = #expect(throws: UploadError.self) {
            try state.received(head(201, ["Location": "http://h.test/files/1"]))
        }
        #expect(error?.code == .unsupported && state.upload == nil)
    }

    /// The origins of the redirects and of the response, the upload that it names, and whether that is used.
    private static let sources: [(origins: [String], upload: String, isUsed: Bool)] = [
        (["https://h.test", "https://b.test"], "https://h.test/users/17", false),
        (["https://h.test", "https://b.test"], "https://c.test/1", false),
        (["https://h.test", "https://b.test", "https://c.test"], "https://b.test/1", false),
        (["https://h.test", "https://b.test", "https://h.test"], "/users/17", false),
        (["https://h.test", "https://b.test"], "/1", true),
        (["https://h.test", "https://b.test", "https://c.test"], "https://C.test:443/1", true),
        (["https://h.test", "https://h.test"], "https://c.test/1", true),
        (["https://h.test"], "https://c.test/1", true),
        // Another host has got the request, without a redirect.
        (["https://c.test"], "https://h.test/1", true),
    ]

    @Test(arguments: sources) func `a redirect to another origin does not choose an upload elsewhere`(
        origins: [String], upload: String, isUsed: Bool
    ) throws {
        let urls = try origins.map { try URL(httpString: $0 + "/files") }
        // One that is refused is not deleted either, regardless of its limits.
        let fields = try HTTPFields(["Location": upload, "Upload-Limit": isUsed ? "max-size=100" : "max-size=99"])
        var head = HTTPResponseHead(status: .created, fields: fields, url: try #require(urls.last))
        head.redirects = urls.dropLast().map { HTTPResponseHead(status: .temporaryRedirect, url: $0) }
        var state = try state(.ietf)
        do throws(UploadError) {
            let action = try state.received(head)
            #expect(action == .proceed && isUsed)
        } catch {
            #expect(error.code == .unsupported && !isUsed)
        }
        #expect((state.upload != nil) == isUsed && !state.isRefused)
    }

    @Test(arguments: [
        ("/1?a=b", "https://h.test/1?a=b"), ("https://b.test/1", "https://h.test/1"),
        ("https://c.test/1", "https://c.test/1"), ("/1?access_token=x", "https://b.test/1?access_token=x"),
        // Balancing sends it to its own host only.
        ("/1?key1=x", "https://b.test/1?key1=x"),
    ]) func `an upload at the host that a layer has chosen is one at the endpoint's`(
        location: String, upload: String
    ) throws {
        var (state, head) = (try state(), try head(201, ["Location": location]))
        head.url = try URL(httpString: "https://b.test/files")
        #expect(try state.received(head) == .proceed)
        #expect(state.upload?.absoluteString == upload)
    }

    /// A state with an upload of 100 bytes whose first 90 the server has.
    private func almostComplete() throws -> UploadState {
        var state = UploadState(
            .ietf, endpoint: try #require(Self.endpoint), length: 100, limit: nil,
            upload: URL(string: "https://h.test/files/1"))
        #expect(try state.received(head(204, ["Upload-Offset": "90", "Upload-Complete": "?0"])) == .proceed)
        return state
    }

    @Test(arguments: [404, 409, 410, 422, 429, 500, 503])
    func `a complete upload whose processing has failed is an error, and not sent again`(status: Int) throws {
        var state = try almostComplete()
        let error = #expect(throws: UploadError.self) {
            try state.received(head(status, ["Upload-Complete": "?1"]))
        }
        #expect(error?.code == .unacceptableStatus && error?.head?.status.code == status)
        // Without that word it is a failure of the part.
        var other = try almostComplete()
        if [429, 500, 503, 409].contains(status) { #expect(try other.received(head(status)) == .wait) }
    }

    @Test func `a success of the last part that does not complete the upload is asked about, and completed`() throws {
        var state = try almostComplete()
        #expect(try state.received(head(204, ["Upload-Complete": "?0"])) == .wait)
        #expect(try state.received(head(204, ["Upload-Offset": "100", "Upload-Complete": "?0"])) == .proceed)
        guard case .send(_, let range) = state.step else { return #expect(Bool(false)) }
        #expect(range.isEmpty && range.lowerBound == 100)
        #expect(try state.received(head(201, ["Upload-Complete": "?1"])) == .finish)
    }

    @Test func `an offset before the end is where the last part goes on`() throws {
        var state = try almostComplete()
        #expect(try state.received(head(204, ["Upload-Complete": "?0", "Upload-Offset": "95"])) == .proceed)
        guard case .send(_, 95..<100) = state.step else { return #expect(Bool(false)) }
        #expect(try state.received(head(201)) == .finish)
    }

    @Test func `a complete upload of another length is an error`() throws {
        var state = UploadState(
            .ietf, endpoint: try #require(Self.endpoint), length: 100, limit: nil,
            upload: URL(string: "https://h.test/files/1"))
        #expect(throws: UploadError.self) {
            try state.received(head(204, ["Upload-Offset": "90", "Upload-Complete": "?1"]))
        }
    }

    @Test(arguments: [
        ("max-append-size=30", 10), ("max-append-size=5", 5), ("min-append-size=40", 40),
        ("min-append-size=40, max-append-size=20", 20), ("max-append-size=5, max-size=\"many\"", 10),
        ("max-append-size=5, future=\"x\"", 5), ("max-append-size", 10), ("max-append-size=0", 10), ("!", 10),
    ])
    func `parts are within the limits of the server`(limits: String, size: Int64) throws {
        var state = try state(.ietf)
        _ = try state.received(head(201, ["Location": "/files/1", "Upload-Limit": limits]))
        guard case .send(_, let range) = state.step else { return #expect(Bool(false)) }
        #expect(range == 0..<size)
    }

    @Test func `a part that is too large is sent in smaller ones, if the server says how small`() throws {
        var state = try state(.ietf)
        _ = try state.received(head(201, ["Location": "/files/1"]))
        #expect(try state.received(head(413, ["Upload-Limit": "max-append-size=4"])) == .proceed)
        #expect(try state.received(head(204, ["Upload-Offset": "0", "Upload-Complete": "?0"])) == .proceed)
        guard case .send(_, 0..<4) = state.step else { return #expect(Bool(false)) }
        #expect(throws: UploadError.self) { try state.received(head(413, ["Upload-Limit": "max-append-size=4"])) }
    }

    @Test func `a server that takes a little less each time is not sent the part without a pause`() throws {
        var state = try state(.ietf)
        _ = try state.received(head(201, ["Location": "/files/1"]))
        _ = try state.received(head(413, ["Upload-Limit": "max-append-size=4"]))
        _ = try state.received(head(204, ["Upload-Offset": "0", "Upload-Complete": "?0"]))
        #expect(try state.received(head(413, ["Upload-Limit": "max-append-size=3"])) == .wait)
    }

    /// A limit of the server, and the error for an upload of 100 bytes.
    private static let lengths: [(limits: String, code: UploadError.Code?)] = [
        ("max-size=99", .tooLarge), ("max-size=100", nil), ("min-size=101", .tooSmall), ("min-size=100", nil),
        ("min-size=1, max-size=1000", nil), ("min-size=101, max-size=99.5", nil),
    ]

    @Test(arguments: lengths) func `an upload of a length that the server does not take is refused`(
        limits: String, code: UploadError.Code?
    ) throws {
        let upload = try #require(URL(string: "https://h.test/files/1"))
        func refusal(_ state: UploadState, _ head: HTTPResponseHead) -> UploadError.Code? {
            var state = state
            do throws(UploadError) {
                #expect(try state.received(head) == .proceed)
                return nil
            } catch {
                // The upload is there, and is to be deleted.
                #expect(state.isRefused && state.upload == upload)
                return error.code
            }
        }
        let created = try head(201, ["Location": "/files/1", "Upload-Limit": limits])
        #expect(try refusal(state(.ietf), created) == code)
        // After a relaunch.
        let known = UploadState(
            .ietf, endpoint: try #require(Self.endpoint), length: 100, limit: nil, upload: upload)
        let fields: KeyValuePairs = ["Upload-Offset": "90", "Upload-Complete": "?0", "Upload-Limit": limits]
        #expect(try refusal(known, head(204, fields)) == code)
        // While it is sent.
        if code != nil { #expect(try refusal(almostComplete(), head(413, ["Upload-Limit": limits])) == code) }
        // What is complete was taken.
        var complete = known
        let last = try head(204, ["Upload-Offset": "100", "Upload-Complete": "?1", "Upload-Limit": limits])
        #expect(try complete.received(last) == .finish && !complete.isRefused)
    }

    @Test(arguments: [413, 401, 403, 404, 409, 410, 422, 503])
    func `a status alone does not end the upload at the server`(status: Int) throws {
        var state = try almostComplete()
        _ = try? state.received(head(status))
        #expect(!state.isRefused)
        // Without an upload there is nothing to delete.
        var created = try self.state(.ietf)
        _ = try? created.received(head(status))
        #expect(created.upload == nil)
    }
}
