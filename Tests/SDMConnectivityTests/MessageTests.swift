import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import RequestModel
import ResponseDecoding
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.needsSlot) struct MessageTests {
    private func cookie(_ name: String, _ value: String) throws -> HTTPCookie {
        try #require(HTTPCookie(properties: [.name: name, .value: value, .domain: "127.0.0.1", .path: "/"]))
    }

    @Test func `an error repeats the message of its cause only if that quotes no body`() throws {
        let page = HTTPResponse(status: .ok, url: try #require(URL(string: "https://h/")))
        let quoting = ResponseDecodingError(.invalidJSON, "Expected JSON, got text/plain: swordfish", response: page)
        for text in [SDMError(quoting).description, SMPError(quoting).description] {
            #expect(!text.contains("swordfish"), "\(text)")
        }
        #expect(SDMError(quoting).code == .connectionFailure && SMPError(quoting).code == .internalError)
        let refused = SDMError(AdmissionError(.queueFull, "Queue is full."))
        #expect(refused.message == "Queue is full." && SMPError(refused).message == "Queue is full.")
    }

    @Test func `S21: the session keeps cookies, and manual ones go first without removing duplicates`() async throws {
        try await LoopbackServer { request in
            request.response(fields: try HTTPFields(["Set-Cookie": "a=jar; Path=/"]))
        }.stopping { server in
            let session = SDMSession.test()
            let first = try session.get(server)
            await first.ended()
            #expect(first.responseCookies?.map(\.name) == ["a"] && first.responseCookies?.first?.value == "jar")
            let second = try session.get(server, "/path/below")
            second.requestCookies = [try cookie("a", "manual")]
            await second.ended()
            #expect(server.requests.map { $0.fields[.cookie] } == [nil, "a=manual; a=jar"])
            session.clear()
            await (try session.get(server)).ended()
            #expect(server.requests.last?.fields[.cookie] == nil)
        }
    }

    @Test func `S21: without persistence only manual cookies are sent, and none is kept`() async throws {
        try await LoopbackServer { request in
            request.response(fields: try HTTPFields(["Set-Cookie": "a=jar; Path=/"]))
        }.stopping { server in
            let session = SDMSession.test()
            for manual in [nil, "b=manual"] {
                let request = try session.get(server)
                request.useCookiePersistence = false
                if manual != nil { request.requestCookies = [try cookie("b", "manual")] }
                await request.ended()
                #expect(request.responseCookies?.count == 1)
                #expect(server.requests.last?.fields[.cookie] == manual)
            }
            #expect(session.cookies.cookies.isEmpty)
        }
    }

    @Test func `S21: a Cookie header of the app stays, before the others`() async throws {
        try await LoopbackServer { $0.response() }.stopping { server in
            let request = try SDMSession.test().get(server)
            request.addRequestHeader("Cookie", value: "raw=1")
            request.requestCookies = [try cookie("b", "2")]
            await request.ended()
            #expect(server.requests.last?.fields[.cookie] == "raw=1; b=2")
        }
    }

    /// Applies the fields itself, as subclasses of ASIHTTPRequest do.
    private final class Applying: SDMHttpRequest, @unchecked Sendable {
        override func buildRequestHeaders() {
            super.buildRequestHeaders()
            applyCookieHeader()
            applyAuthorizationHeader()
        }
    }

    @Test func `S21, S47: fields that a subclass applies are sent once, and to their origin only`() async throws {
        let transport = ScriptedTransport([
            .response(.found, fields: try HTTPFields(["Location": "http://other.example.net/"])), .text("other"),
        ])
        let request = Applying(url: URL(string: "http://example.com/"), session: .test(transport))
        request.requestCookies = [try cookie("a", "1")]
        (request.username, request.password) = ("ann", "hush")
        request.authenticationScheme = SDMAuthenticationSchemeBasic
        #expect(await request.ended() == nil)
        #expect(transport.requests.map { $0.fields[.cookie] } == ["a=1", nil])
        #expect(transport.requests.map { $0.fields[.authorization] } == ["Basic YW5uOmh1c2g=", nil])
    }

    @Test(arguments: [
        ("text/plain; charset=utf-8", String.Encoding.utf8), ("text/plain; charset=ISO-8859-1; x=y", .isoLatin1),
        ("text/plain; charset=utf-16", .utf16), ("text/plain", .isoLatin1),
    ])
    func `S22: the text is read in the declared charset, else in the default`(
        type: String, encoding: String.Encoding
    ) async throws {
        let body = try #require("£5".data(using: encoding))
        let transport = ScriptedTransport {
            $0.response(fields: try HTTPFields(["Content-Type": type]), body: body)
        }
        let request = SDMSession.test(transport).get(URL(string: "http://example.com/"))
        await request.ended()
        #expect(request.responseString == "£5" && request.responseEncoding == encoding)
    }

    @Test func `S22: an unknown charset is the app's default if it has set one, and else not guessed`() async throws {
        let warnings = Watched<[String]>([])
        let transport = ScriptedTransport {
            $0.response(fields: try HTTPFields(["Content-Type": "text/plain; charset=klingon"]), body: Data([0xE4]))
        }
        for (encoding, text) in [(nil, nil), (.windowsCP1251, "д"), (.isoLatin1, "ä")] as [(String.Encoding?, String?)]
        {
            let session = SDMSession.test(transport) { $0.warn = { text in warnings.update { $0.append(text) } } }
            let request = session.get(URL(string: "http://example.com/"))
            if let encoding { request.defaultResponseEncoding = encoding }
            await request.ended()
            #expect(request.responseString == text && request.responseEncoding == encoding ?? .isoLatin1)
            #expect(request.responseData == Data([0xE4]))
        }
        #expect(warnings.value.count == 1 && warnings.value[0].contains("klingon"))
    }

    @Test(
        arguments: [
            ("iso-8859-15", [0xA4], "€"), ("ISO-8859-7", [0xE1], "α"), ("windows-1255", [0xE0], "א"),
            ("windows-1256", [0xC7], "ا"), ("windows-1257", [0xE0], "ą"), ("KOI8-R", [0xC1], "а"),
            ("ibm866", [0xA0], "а"),
            ("GB18030", [0xD6, 0xD0], "中"), ("gb2312", [0xD6, 0xD0], "中"), ("Big5", [0xA4, 0xA4], "中"),
            ("EUC-KR", [0xC7, 0xD1], "한"), ("Shift_JIS", [0x93, 0xFA], "日"), ("iso-8859-9", [0xF0], "ğ"),
            ("tis-620", [0xA1], "ก"),
        ] as [(String, [UInt8], String)])
    func `S22: charsets of IANA's registry`(charset: String, bytes: [UInt8], text: String) async throws {
        let transport = ScriptedTransport {
            $0.response(fields: try HTTPFields(["Content-Type": "text/plain; charset=\(charset)"]), body: Data(bytes))
        }
        let request = SDMSession.test(transport).get(URL(string: "http://example.com/"))
        await request.ended()
        #expect(request.responseString == text)
    }

    @Test func `S22: text that is not valid in its charset is nil`() async throws {
        let transport = ScriptedTransport {
            $0.response(fields: try HTTPFields(["Content-Type": "text/plain; charset=utf-8"]), body: Data([0xFF]))
        }
        let request = SDMSession.test(transport).get(URL(string: "http://example.com/"))
        await request.ended()
        #expect(request.responseString == nil && request.responseData == Data([0xFF]))
    }

    @Test func `S23: a compressed response is decompressed, in memory and in a file`() async throws {
        let text = String(repeating: "compress me ", count: 1000)
        let body = try await ContentCoding.gzip.encode(.text(text)).collect()
        try await LoopbackServer { request in
            guard request.fields[.acceptEncoding] == "gzip" else { return request.response(text: text) }
            return request.response(fields: try HTTPFields(["Content-Encoding": "gzip"]), body: body)
        }.stopping { server in
            let folder = try TemporaryFolder()
            for (accepts, path) in [(true, nil), (true, folder.url.appending(path: "file").path), (false, nil)] {
                let request = try SDMSession.test().get(server)
                request.allowCompressedResponse = accepts
                request.downloadDestinationPath = path
                #expect(await request.ended() == nil && request.isResponseCompressed == accepts)
                if let path {
                    #expect(
                        FileManager.default.contents(atPath: path) == Data(text.utf8) && request.responseData == nil)
                } else {
                    #expect(request.responseString == text && request.rawResponseData == request.responseData)
                }
            }
            #expect(server.requests.last?.fields[.acceptEncoding] == "identity")
        }
    }

    @Test func `S23: the request body is compressed`() async throws {
        let text = String(repeating: "compress me ", count: 1000)
        let compressed = try await ContentCoding.gzip.encode(.text(text)).collect()
        try await LoopbackServer { $0.response() }.stopping { server in
            let request = try SDMSession.test().post(server, body: text)
            request.shouldCompressRequestBody = true
            #expect(await request.ended() == nil)
            let received = try #require(server.requests.first)
            #expect(received.fields[.contentEncoding] == "gzip" && received.body == compressed)
            #expect(received.fields[.contentLength] == "\(compressed.count)")
        }
    }

    @Test func `S31: a certificate that is not trusted fails with 1 and says SSL problem`() async throws {
        let failure = TransportError(.tls, "Certificate is self-signed.", tlsFailure: .untrustedCertificate)
        let request = SDMSession.test(ScriptedTransport([.failure(failure)])).get(URL(string: "https://example.com/"))
        let error = try #require(await request.ended())
        #expect(error.errorCode == 1 && error.message.contains("SSL problem"))
        #expect((error as NSError).userInfo[NSUnderlyingErrorKey] != nil)
    }

    @Test func `S31: connection options of a request get a transport of their own, made once`() async throws {
        let made = Watched<[SDMSession.ConnectionOptions]>([])
        let (checked, unchecked) = (ScriptedTransport { $0.response() }, ScriptedTransport { $0.response() })
        let session = SDMSession.test(checked) { configuration in
            configuration.makeTransport = { options in
                made.update { $0.append(options) }
                return AnyTransport(unchecked)
            }
        }
        for _ in 0..<2 {
            let request = session.get(URL(string: "https://example.com/"))
            request.validatesSecureCertificate = false
            #expect(await request.ended() == nil)
        }
        await session.get(URL(string: "https://example.com/")).ended()
        #expect(made.value.map(\.validatesSecureCertificate) == [false])
        #expect(unchecked.requests.count == 2 && checked.requests.count == 1)
    }

    @Test func `S31: another origin gets neither the client's certificate nor an unchecked connection`() async throws {
        let own = ScriptedTransport {
            $0.response(.found, fields: try HTTPFields(["Location": "https://other.example/"]))
        }
        let usual = ScriptedTransport { $0.response() }
        let session = SDMSession.test(usual) { $0.makeTransport = { _ in AnyTransport(own) } }
        let request = session.get(URL(string: "https://example.com/"))
        request.setClientCertificateIdentity(.init(pkcs12: Data(), password: "hush"))
        #expect(await request.ended() == nil && own.requests.count == 1 && usual.requests.count == 1)
    }

    @Test func `S31: an unchecked connection fails before anything is sent, where the transport has none`() async throws
    {
        let transport = ScriptedTransport { $0.response() }
        let request = SDMSession.test(transport).get(URL(string: "https://example.com/"))
        request.validatesSecureCertificate = false
        #expect(await request.ended()?.errorCode == 6 && transport.requests.isEmpty)
    }

    @Test func `S31: a certificate of the client does not leave the session's own transport silently`() async throws {
        let transport = ScriptedTransport { $0.response() }
        let request = SDMSession.test(transport).get(URL(string: "https://example.com/"))
        request.clientCertificateIdentity = .init(pkcs12: Data(), password: "hush")
        let error = try #require(await request.ended())
        #expect(error.errorCode == 6 && error.message.contains("`SDMSession.Configuration.makeTransport`"))
        #expect(transport.requests.isEmpty)
    }

    @Test func `S10: a layer in the session's transport knows that a redirect has left the origin`() async throws {
        let transport = ScriptedTransport { request in
            let targets = [
                "/a": "/b", "/b": "https://other.example/c", "/c": "https://third.example/d",
                "/d": "https://example.com/e",
            ]
            guard let target = targets[request.url.path] else { return request.response() }
            return request.response(.found, fields: try HTTPFields(["Location": target]))
        }
        await SDMSession.test(transport).get(URL(string: "https://example.com/a")).ended()
        #expect(transport.requests.map(\.options.visitedOrigins.count) == [0, 0, 2, 3, 3])
    }
}
