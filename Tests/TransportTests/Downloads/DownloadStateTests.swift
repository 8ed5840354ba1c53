import Foundation
import HTTPMessages
import Testing

@testable import Transport

private let fileURL = "http://h/file"
private let kept = DownloadRecord(url: fileURL, entityTag: "\"1\"", length: 10)
private let wholeFields: KeyValuePairs = ["ETag": "\"1\"", "Content-Length": "10"]

@Suite struct DownloadStateTests {
    private func state(
        _ options: DownloadOptions = DownloadOptions(resumes: true), record: DownloadRecord? = kept, size: Int64 = 4,
        fields: KeyValuePairs<String, String> = [:]
    ) throws -> DownloadState {
        try DownloadState(
            HTTPRequest(.get, fileURL, fields: HTTPFields(fields)), options: options, record: record, size: size)
    }

    private func head(_ status: Int, _ fields: KeyValuePairs<String, String> = [:]) throws -> HTTPResponseHead {
        HTTPResponseHead(
            status: try #require(HTTPStatus(status)), fields: try HTTPFields(fields),
            url: try URL(httpString: fileURL))
    }

    private func fields(_ request: HTTPRequest) -> [String?] {
        [request.fields[.range], request.fields[.ifRange], request.fields[.acceptEncoding]]
    }

    /// The action for a head, as a short text.
    private func action(_ state: inout DownloadState, _ head: HTTPResponseHead) -> String {
        do {
            switch try state.received(head) {
            case .write(let offset, let record): return "write \(offset)" + (record == nil ? "" : ", kept")
            case .restart: return "restart"
            }
        } catch {
            return "\(error.code)"
        }
    }

    @Test func `the digest of the whole file is kept for the parts, also by the next call`() throws {
        let digest = Data(repeating: 7, count: 32)
        let sent = "sha-256=:\(digest.base64EncodedString()):"
        var first = try state(record: nil, size: 0)
        guard
            case .write(_, let record?) = try first.received(
                head(200, ["ETag": "\"1\"", "Content-Length": "10", "Content-Digest": sent]))
        else { return #expect(Bool(false)) }
        #expect(first.digest == digest && DownloadRecord(record.data) == record)
        var next = try state(record: DownloadRecord(record.data), size: 4)
        let part = try head(206, ["ETag": "\"1\"", "Content-Range": "bytes 4-9/10"])
        #expect(action(&next, part) == "write 4, kept")
        #expect(try DownloadDigest.required.expected(part, sent: next.digest) == digest)
        // Another version of the file has another one, or none.
        #expect(action(&next, try head(200, ["ETag": "\"2\"", "Content-Length": "9"])) == "write 0, kept")
        #expect(next.digest == nil)
    }

    @Test func `the first request is for the whole file`() throws {
        #expect(fields(try state(DownloadOptions(), record: nil, size: 0).request) == [nil, nil, nil])
        #expect(fields(try state(record: nil, size: 0).request) == [nil, nil, "identity"])
    }

    @Test(
        arguments: [
            (kept, 4, "bytes=4-"), (kept, 10, "bytes=9-"), (kept, 11, nil), (kept, 0, nil), (nil, 4, nil),
            (DownloadRecord(url: "http://h/other", entityTag: "\"1\"", length: 10), 4, nil),
            (DownloadRecord(url: fileURL, entityTag: "\"1\"", length: 1), 1, nil),
        ] as [(DownloadRecord?, Int64, String?)])
    func `resumes only a matching partial file`(record: DownloadRecord?, size: Int64, range: String?) throws {
        let state = try state(record: record, size: size)
        #expect(fields(state.request) == [range, range == nil ? nil : "\"1\"", "identity"])
        #expect(fields(try self.state(DownloadOptions(), record: record, size: size).request) == [nil, nil, nil])
    }

    @Test(
        arguments: [
            ("user-17", "user-17", true), ("user-17", "user-18", false), ("user-17", nil, false),
            (nil, "user-18", false), (nil, nil, true),
        ] as [(String?, String?, Bool)])
    func `resumes only a partial file of the same user`(first: String?, second: String?, isResumed: Bool) throws {
        func state(_ user: String?, _ record: DownloadRecord?) throws -> DownloadState {
            let options = RequestOptions { $0.cachePartition = user.map { CachePartition($0) } }
            return try DownloadState(
                HTTPRequest(.get, fileURL, options: options), options: DownloadOptions(resumes: true), record: record,
                size: 4)
        }
        var begun = try state(first, nil)
        guard case .write(_, let record?) = try begun.received(head(200, wholeFields)) else {
            return #expect(Bool(false))
        }
        #expect(DownloadRecord(record.data) == record)
        #expect(!String(decoding: record.data, as: UTF8.self).contains("user-17"))
        #expect(try state(second, record).request.fields[.range] == (isResumed ? "bytes=4-" : nil))
    }

    @Test(
        arguments: [
            (200, wholeFields, "write 0, kept"), (200, ["ETag": "\"1\""], "write 0"),
            (200, ["Content-Length": "9"], "write 0"),
            (200, ["ETag": "W/\"1\"", "Content-Length": "10"], "write 0"),
            (200, ["ETag": "\"1\"", "Content-Length": "0"], "write 0"),
            (200, ["ETag": "\"1\"", "Content-Length": "10", "Accept-Ranges": "none"], "write 0"),
            (200, ["ETag": "\"1\"", "Content-Length": "10", "Content-Encoding": "gzip"], "write 0"),
            (200, ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Content-Length": "10"], "write 0"),
            (201, wholeFields, "write 0"), (206, wholeFields, "unexpectedRange"),
            (404, wholeFields, "unacceptableStatus"),
            (304, [:], "unacceptableStatus"), (416, [:], "unacceptableStatus"),
        ] as [(Int, KeyValuePairs<String, String>, String)])
    func `a download can be resumed if its length and strong entity tag are known`(
        status: Int, fields: KeyValuePairs<String, String>, expected: String
    ) throws {
        var state = try state(record: nil, size: 0)
        #expect(action(&state, try head(status, fields)) == expected)
        var plain = try self.state(DownloadOptions(), record: nil, size: 0)
        #expect(action(&plain, try head(status, fields)) == expected.replacingOccurrences(of: ", kept", with: ""))
    }

    @Test(
        arguments: [
            (206, ["Content-Range": "bytes 4-9/10", "ETag": "\"1\""], "write 4, kept"),
            (206, ["Content-Range": "bytes 4-9/10"], "write 4, kept"),
            (206, ["Content-Range": "bytes 4-6/10"], "write 4, kept"),
            (206, ["Content-Range": "bytes 4-9/*"], "write 4, kept"),
            (206, ["Content-Range": "bytes 4-9/10", "Content-Length": "6"], "write 4, kept"),
            (206, ["Content-Range": "bytes 4-9/10", "Content-Length": "10"], "restart"),
            (206, ["Content-Range": "bytes 4-9/10", "Content-Length": "9223372036854775807"], "restart"),
            (206, ["Content-Range": "bytes 4-9/10", "ETag": "\"2\""], "restart"),
            (206, ["Content-Range": "bytes 4-9/10", "ETag": "W/\"1\""], "restart"),
            (206, ["Content-Range": "bytes 4-9/10", "Content-Encoding": "br"], "restart"),
            (206, ["Content-Range": "bytes 3-9/10"], "restart"),
            (206, ["Content-Range": "bytes 4-10/11"], "restart"),
            (206, ["Content-Range": "bytes 4-10/*"], "restart"),
            (206, ["Content-Type": "multipart/byteranges"], "restart"),
            (206, ["Content-Range": "nonsense"], "restart"),
            (200, wholeFields, "write 0, kept"), (200, [:], "write 0"), (416, [:], "restart"),
            (404, [:], "unacceptableStatus"), (503, [:], "unacceptableStatus"), (204, [:], "write 0"),
            (203, wholeFields, "write 0"),
        ] as [(Int, KeyValuePairs<String, String>, String)])
    func `a partial response must have exactly the requested range`(
        status: Int, fields: KeyValuePairs<String, String>, expected: String
    ) throws {
        var state = try state()
        #expect(action(&state, try head(status, fields)) == expected)
        if expected == "restart" {
            #expect(self.fields(state.request) == [nil, nil, "identity"] && state.record == nil)
            #expect(action(&state, try head(200, wholeFields)) == "write 0, kept")
        }
        // The partial file stays when a later attempt can succeed.
        if expected == "unacceptableStatus" { #expect(state.record == kept && state.count == 4) }
        #expect(state.resumed == (expected.hasPrefix("write 4") || expected == "unacceptableStatus" ? 4 : 0))
    }

    @Test func `of a body that is checked at its end no part is kept, and none of an earlier call is used`() throws {
        var first = try state(record: nil, size: 0)
        var whole = try head(200, wholeFields)
        whole.isCheckedAtEnd = true
        #expect(action(&first, whole) == "write 0" && first.record == nil)
        var next = try state()
        var part = try head(206, ["Content-Range": "bytes 4-9/10"])
        part.isCheckedAtEnd = true
        #expect(action(&next, part) == "restart" && next.record == nil)
        // Of this call, whose first response there was nothing to check in.
        #expect(action(&next, try head(200, wholeFields)) == "write 0, kept")
        try next.willWrite(4)
        #expect(action(&next, part) == "write 4, kept")
    }

    @Test func `a part that the engine has decoded, or cannot decode, starts the download over once`() throws {
        var decoded = try state()
        var part = try head(206, ["Content-Range": "bytes 4-9/10"])
        part.decodedContentCodings = "gzip"
        #expect(action(&decoded, part) == "restart")
        var undecodable = try state()
        for isFirst in [true, false] {
            #expect(undecodable.restart() == isFirst)
            #expect(fields(undecodable.request) == [nil, nil, "identity"] && undecodable.record == nil)
        }
        // A second time it ends the download, which keeps nothing.
        #expect(action(&undecodable, try head(200, wholeFields)) == "write 0, kept")
        try undecodable.willWrite(4)
        #expect(undecodable.restart() == false && undecodable.record == nil && undecodable.count == 0)
        // The whole file was requested.
        var whole = try state(record: nil, size: 0)
        #expect(whole.restart() == false)
    }

    @Test(arguments: [0, 4] as [Int64])
    func `no content coding is requested, also for a request that has one`(size: Int64) throws {
        let request = try state(size: size, fields: ["Accept-Encoding": "gzip"]).request
        #expect(request.fields.values(of: .acceptEncoding) == ["identity"])
    }

    @Test func `requests the rest when the server sends a shorter range`() throws {
        var state = try state()
        for (first, last) in [(4, 6), (7, 8)] {
            #expect(
                action(&state, try head(206, ["Content-Range": "bytes \(first)-\(last)/10"])) == "write \(first), kept")
            try state.willWrite(last - first + 1)
            #expect(try state.bodyFinished() == false)
            #expect(state.request.fields[.range] == "bytes=\(last + 1)-")
        }
        // The download can restart once.
        #expect(action(&state, try head(206, ["Content-Range": "bytes 0-8/10"])) == "restart")
        #expect(action(&state, try head(200, wholeFields)) == "write 0, kept")
        try state.willWrite(10)
        #expect(try state.bodyFinished() && state.count == 10 && state.resumed == 0)
    }

    @Test func `a server that keeps sending wrong ranges is an error`() throws {
        var state = try state()
        #expect(action(&state, try head(416)) == "restart")
        #expect(action(&state, try head(206, ["Content-Range": "bytes 0-9/10"])) == "unexpectedRange")
    }

    @Test(arguments: [(HTTPMethod.head, 200), (.get, 204)])
    func `ignores the length of responses without content`(method: HTTPMethod, status: Int) throws {
        var state = try DownloadState(HTTPRequest(method, fileURL), options: DownloadOptions(maximumBytes: 9))
        #expect(action(&state, try head(status, wholeFields)) == "write 0")
        #expect(try state.bodyFinished() && state.count == 0)
    }

    @Test func `a body longer or shorter than declared is an error`() throws {
        var short = try state(record: nil, size: 0)
        _ = try short.received(head(200, wholeFields))
        try short.willWrite(9)
        #expect(throws: TransportError.self) { try short.bodyFinished() }
        #expect(short.record == kept)
        var long = try state(record: nil, size: 0)
        _ = try long.received(head(200, wholeFields))
        let error = #expect(throws: DownloadError.self) { try long.willWrite(11) }
        #expect(error?.code == .unexpectedRange && long.record == nil)
        var unknown = try state(record: nil, size: 0)
        _ = try unknown.received(head(200, [:]))
        try unknown.willWrite(1000)
        #expect(try unknown.bodyFinished())
    }

    @Test func `exceeding the limit is an error as soon as it is known`() throws {
        let options = DownloadOptions(resumes: true, maximumBytes: 9)
        var declared = try state(options, record: nil, size: 0)
        #expect(action(&declared, try head(200, wholeFields)) == "tooLarge")
        var counted = try state(options, record: nil, size: 0)
        #expect(action(&counted, try head(200, [:])) == "write 0")
        try counted.willWrite(9)
        let error = #expect(throws: DownloadError.self) { try counted.willWrite(1) }
        #expect(error?.code == .tooLarge && counted.record == nil)
    }

    @Test func `refuses to resume other requests`() throws {
        let bad = [
            try HTTPRequest(.post, fileURL), try HTTPRequest(.post, fileURL, body: .text("x")),
            try HTTPRequest(.get, fileURL, fields: HTTPFields(["Range": "bytes=0-1"])),
        ]
        for request in bad {
            let error = #expect(throws: DownloadError.self) {
                _ = try DownloadState(request, options: DownloadOptions(resumes: true))
            }
            #expect(error?.code == .notResumable)
            _ = try DownloadState(request, options: DownloadOptions())
        }
        var own = try state(DownloadOptions(), record: nil, size: 0, fields: ["Range": "bytes=0-1"])
        #expect(action(&own, try head(206, ["Content-Length": "2"])) == "write 0")
    }
}
