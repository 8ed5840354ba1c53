import Foundation
import HTTPMessages
import PatchbayTestKit
import RequestModel
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

@Suite(.needsSlot) struct FormsTests {
    /// Sends a form to a server, and returns the request that arrived.
    private func sent(_ fill: (SDMFormDataRequest) -> Void) async throws -> RecordedRequest {
        try await LoopbackServer.serving(ClosureService { $0.response(text: "ok") }) { server in
            let request = SDMFormDataRequest(url: try server.url(of: "/form"), session: .test())
            fill(request)
            try await request.response()
            return try await server.requests(count: 1)[0]
        }
    }

    private func text(_ fill: (SDMFormDataRequest) -> Void) async throws -> String {
        String(decoding: try await sent(fill).body, as: UTF8.self)
    }

    @Test func `S30: a POST, URL-encoded in UTF-8`() async throws {
        let request = try await sent { $0.addPostValue("a b&c=d+e/ü", forKey: "kéy*") }
        #expect(request.method == "POST")
        #expect(String(decoding: request.body, as: UTF8.self) == "k%C3%A9y%2A=a%20b%26c%3Dd%2Be%2F%C3%BC")
        let type = try #require(request.fields[.contentType].flatMap { MediaType(parsing: $0) })
        #expect(type.essence == "application/x-www-form-urlencoded" && type["charset"] == "utf-8")
        #expect(request.fields[.contentLength] == String(request.body.count))
    }

    @Test func `S30: nil keys are dropped, nil values are empty, keys may repeat`() async throws {
        let body = try await text { request in
            request.addPostValue("x", forKey: nil)
            request.addPostValue(nil, forKey: "nil")
            request.addPostValue("", forKey: "empty")
            request.addPostValue(1, forKey: "n")
            request.addPostValue(2.5, forKey: "n")
            request.addPostValue("~-._", forKey: "plain")
        }
        #expect(body == "nil=&empty=&n=1&n=2.5&plain=~-._")
    }

    @Test func `S30: a value of any type is sent as its description, a number as by NSNumber`() async throws {
        let values: [String: Any] = [
            "text": "a", "missing": String?.none as Any, "optional": Optional("b") as Any, "int": 7, "true": true,
            "false": Optional(false) as Any, "whole": 2.0, "half": Float(0.5), "number": NSNumber(value: 3),
        ]
        let body = try await text { request in
            for key in values.keys.sorted() { request.setPostValue(values[key], forKey: key) }
            request.addPostValue(values["none"], forKey: "none")
        }
        #expect(
            body == "false=0&half=0.5&int=7&missing=&number=3&optional=b&text=a&true=1&whole=2&none=")
    }

    @Test func `S30: set replaces all values of a key, and comes last`() async throws {
        let body = try await text { request in
            request.addPostValue("1", forKey: "a")
            request.addPostValue("2", forKey: "a")
            request.addPostValue("3", forKey: "b")
            request.setPostValue("4", forKey: "a")
            request.setPostValue("5", forKey: nil)
        }
        #expect(body == "b=3&a=4")
    }

    @Test func `S30: a pound sign in UTF-8 and in Latin-1`() async throws {
        #expect(try await text { $0.addPostValue("£", forKey: "v") } == "v=%C2%A3")
        let request = try await sent { request in
            request.stringEncoding = .isoLatin1
            request.addPostValue("£ €", forKey: "v")
        }
        // Latin-1 has no euro sign.
        #expect(String(decoding: request.body, as: UTF8.self) == "v=%A3%20%26%238364%3B")
        #expect(request.fields[.contentType]?.lowercased().contains("charset=iso-8859-1") == true)
    }

    @Test func `S30: multipart on demand, with charset and boundary`() async throws {
        let request = try await sent { request in
            request.postFormat = .multipart
            request.addPostValue("£", forKey: "v")
            request.stringEncoding = .isoLatin1
        }
        let type = try #require(request.fields[.contentType].flatMap { MediaType(parsing: $0) })
        #expect(type.essence == "multipart/form-data")
        #expect(type.parameters.map(\.name) == ["charset", "boundary"] && type["charset"] == "iso-8859-1")
        let boundary = try #require(type["boundary"])
        var expected = Data("--\(boundary)\r\nContent-Disposition: form-data; name=\"v\"\r\n\r\n".utf8)
        expected += Data([0xA3]) + Data("\r\n--\(boundary)--\r\n".utf8)
        #expect(request.body == expected)
    }

    @Test func `S30: files and data force multipart, after the values, with name and type`() async throws {
        let folder = try TemporaryFolder()
        let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        try content.write(to: folder.url.appending(path: "photo.png"))
        try Data("text".utf8).write(to: folder.url.appending(path: "README"))
        let request = try await sent { request in
            request.setFile(folder.path("photo.png"), forKey: "photo")
            request.addFile(folder.path("README"), withFileName: "a\"b.txt", andContentType: "text/x", forKey: "readme")
            request.addData(Data("D".utf8), forKey: "data")
            request.addPostValue("1", forKey: "v")
        }
        let boundary = try #require(request.fields[.contentType].flatMap { MediaType(parsing: $0) }?["boundary"])
        func part(_ key: String, _ rest: String) -> Data {
            Data("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(key)\"\(rest)\r\n\r\n".utf8)
        }
        let line = Data("\r\n".utf8)
        var expected = part("v", "") + Data("1".utf8) + line
        expected += part("photo", "; filename=\"photo.png\"\r\nContent-Type: image/png") + content + line
        expected += part("readme", "; filename=\"a%22b.txt\"\r\nContent-Type: text/x") + Data("text".utf8) + line
        expected +=
            part("data", "; filename=\"file\"\r\nContent-Type: application/octet-stream") + Data("D".utf8) + line
        expected += Data("--\(boundary)--\r\n".utf8)
        #expect(request.body == expected)
        #expect(request.fields[.contentLength] == String(expected.count))
    }

    @Test func `S30: set replaces files and data of the key, add appends`() async throws {
        let body = try await text { request in
            request.addData(Data("1".utf8), withFileName: "one", forKey: "f")
            request.addData(nil, withFileName: "none", forKey: "f")
            request.addData(Data("x".utf8), forKey: nil)
            request.setData(Data("2".utf8), withFileName: "two", forKey: "f")
            request.addData(Data("3".utf8), withFileName: "three", forKey: "f")
        }
        #expect(!body.contains("one") && !body.contains("none"))
        #expect(body.contains("filename=\"two\"") && body.contains("filename=\"three\""))
    }

    @Test func `S30: a missing file fails the request before anything is sent`() async throws {
        let session = SDMSession.test(
            FakeTransport { request in
                Issue.record("The request was sent.")
                return request.response(text: "")
            })
        let request = SDMFormDataRequest(url: URL(string: "http://example.com/"), session: session)
        request.setFile("/missing/photo.png", forKey: "photo")
        await #expect(throws: SDMError.self) { try await request.response() }
        #expect(request.error?.code == .internalErrorWhileBuildingRequest)
    }

    @Test(arguments: [("PUT", "PUT"), ("DELETE", "POST"), ("GET", "POST"), ("PATCH", "PATCH"), ("FINK", "FINK")])
    func `S30: the method`(method: String, expected: String) async throws {
        let request = try await sent { request in
            request.setRequestMethod(method)
            request.addPostValue("1", forKey: "a")
        }
        #expect(request.method == expected)
    }

    @Test func `S30, S45: a built form ignores later values, and a copy has the form`() async throws {
        let request = SDMFormDataRequest(url: URL(string: "http://example.com/"), session: .test())
        request.addPostValue("1", forKey: "a")
        let copy = try #require(request.copy() as? SDMFormDataRequest)
        request.buildPostBody()
        request.addPostValue("2", forKey: "b")
        request.buildPostBody()
        #expect(request.postBody == Data("a=1".utf8) && request.postLength == 3)
        copy.addPostValue("3", forKey: "c")
        copy.buildPostBody()
        #expect(copy.postBody == Data("a=1&c=3".utf8))
    }

    @Test func `a form without fields leaves the body to appended data`() async throws {
        let request = try await sent { $0.appendPost(Data("raw".utf8)) }
        #expect(request.method == "POST" && request.body == Data("raw".utf8))
    }
}
