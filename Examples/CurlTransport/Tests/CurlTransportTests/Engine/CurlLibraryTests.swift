import Foundation
import HTTPMessages
import Testing
import Transport

@testable import CurlTransport

@Suite struct CurlLibraryTests {
    @Test func `a missing library is an error that names it`() {
        let error = #expect(throws: CurlError.self) { try CurlLibrary(from: "libcurl-missing.so.4") }
        #expect(error?.code == .missingLibrary)
        #expect(error?.message.contains("libcurl-missing.so.4") == true)
    }

    @Test func `a library that is too old is an error with both versions`() throws {
        let version = try CurlLibrary.system.get().version
        let error = #expect(throws: CurlError.self) { try CurlLibrary(minimum: CurlVersion(99, 1, 2)) }
        #expect(error?.code == .outdatedLibrary)
        #expect(error?.message.contains("99.1.2") == true && error?.message.contains("\(version)") == true)
    }

    @Test func `another library is an error that names the missing function`() {
        let error = #expect(throws: CurlError.self) { try CurlLibrary(from: "libz.so.1") }
        #expect(error?.code == .missingFunction)
        #expect(error?.message.contains("curl_version_info") == true)
    }

    @Test func `versions are ordered`() {
        #expect(CurlVersion(7, 68) < CurlVersion(7, 88, 1))
        #expect(CurlVersion(7, 99) < CurlVersion(8, 0))
        #expect("\(CurlVersion(7, 88, 1))" == "7.88.1")
    }

    @Test(arguments: [
        (
            7, "Failed to connect to host port 80 after 0 ms: Couldn't connect to server",
            TransportError.Code.connectionRefused
        ),
        (7, "Failed to connect to proxy port 3128 after 0 ms: Couldn't connect to server", .proxy),
        (6, "Could not resolve host: host", .hostNotFound), (5, "Could not resolve proxy: proxy", .proxy),
        (18, "HTTP/2 stream 1 was not closed cleanly before end of the underlying stream", .connectionLost),
        (52, "Empty reply from server", .connectionLost),
        (56, "CONNECT tunnel failed, response 407", .proxy),
        (56, "Recv failure: Connection reset by peer", .connectionLost),
        (56, "Illegal or missing hexadecimal sequence in chunked-encoding", .malformedResponse),
        (1, "Received HTTP/0.9 when not allowed", .malformedResponse), (28, "Connection timed out", .timedOut),
        (4, "Unsupported proxy, libcurl is built without the HTTPS-proxy support.", .unsupported),
        (25, "Chunky upload is not supported by HTTP 1.0", .unsupported),
        (60, "SSL certificate problem: self-signed certificate", .tls), (4711, "?", .unknown),
    ])
    func `result codes have a meaning`(code: CInt, text: String, meaning: TransportError.Code) throws {
        let request = try HTTPRequest(.get, "http://host/")
        let state = TransferState(request, isStreamed: false, now: .zero)
        let error = TransferFailure(code: code, text: text, systemError: 0, url: request.url).error(in: state)
        #expect(error.code == meaning)
        #expect((error.underlying as? CurlError)?.curlCode == Int(code))
    }

    @Test func `a connection that closes after the head leaves a truncated body`() throws {
        let request = try HTTPRequest(.get, "http://host/")
        var state = TransferState(request, isStreamed: false, now: .zero)
        let head = HTTPResponseHead(status: .ok, fields: HTTPFields(), url: request.url)
        #expect(state.headReceived(head, length: nil, now: .zero) == nil)
        let failure = TransferFailure(
            code: 18, text: "transfer closed with 5 bytes remaining to read", systemError: 0, url: request.url)
        #expect(failure.error(in: state).code == .truncated)
    }

    @Test func `the protections depend on the version`() throws {
        typealias Protection = CurlTransport.Protection
        #expect(Protection.allowed(by: CurlVersion(7, 68)) == [.sharesPlainHTTP2])
        #expect(
            Protection.allowed(by: CurlVersion(7, 88, 1)) == [.sendsOnceOverReusedConnections, .endsNameResolution])
        #expect(Protection.allowed(by: CurlVersion(8, 1)).count == 4)
        #expect(try CurlTransport.protections == Protection.allowed(by: CurlLibrary.system.get().version))
    }

    @Test func `options are made in one line`() throws {
        var options = CurlTransport.NetworkOptions()
        #expect(CurlTransport.NetworkOptions(proxy: .environment) == options)
        options.proxy = .none
        options.httpVersion = .http1
        #expect(CurlTransport.NetworkOptions(proxy: .none, httpVersion: .http1) == options)
        _ = try CurlTransport(.init(proxy: .none))
    }

    @Test func `CONNECT is refused`() async throws {
        let request = try HTTPRequest(HTTPMethod("CONNECT"), "http://patchbay.test/")
        let error = await transportError { _ = try await CurlTransport().send(request) }
        #expect(error?.code == .unsupported)
    }

    @Test func `the lack of descriptors is named`() throws {
        let request = try HTTPRequest(.get, "http://host/")
        let failure = TransferFailure(code: 7, text: "Couldn't connect", systemError: EMFILE, url: request.url)
        let error = failure.error(in: TransferState(request, isStreamed: false, now: .zero))
        #expect(error.code == .unknown && error.message.hasPrefix("Out of file descriptors"), "\(error)")
    }

    @Test func `the error for a missing feature names it`() throws {
        let request = try HTTPRequest(.get, "http://host/")
        let failure = TransferFailure(
            code: 4, text: "Unsupported proxy 'https://proxy', libcurl is built without the HTTPS-proxy support.",
            systemError: 0, url: request.url)
        let error = failure.error(in: TransferState(request, isStreamed: false, now: .zero))
        #expect(error.message.contains("HTTPS-proxy support"))
    }

    @Test func `a proxy over TLS requires a libcurl with that feature`() throws {
        var options = CurlTransport.NetworkOptions()
        options.proxy = .server(CurlTransport.ProxyServer(.https, host: "proxy", port: 1))
        _ = try options.validated(for: CurlVersion(number: CurlVersion(7, 88).number, features: 1 << 21))
        let error = #expect(throws: TransportError.self) { try options.validated(for: CurlVersion(7, 88)) }
        #expect(error?.code == .unsupported && error?.message.contains("`proxy`") == true)
    }

    @Test func `credentials and paths with NUL are refused, and not cut off`() throws {
        typealias Options = CurlTransport.NetworkOptions
        func proxy(_ user: String, _ password: String) -> Options {
            Options(proxy: .server(.init(host: "proxy", port: 1, user: user, password: password)))
        }
        func certificate(_ password: String, key: String = "/dev/null") -> Options {
            let null = URL(filePath: "/dev/null")
            return Options(
                clientCertificate: .init(certificateFile: null, keyFile: URL(filePath: key), password: password))
        }
        let version = CurlVersion(7, 88)
        for options in [proxy("abc", "def"), certificate("abc")] { _ = try options.validated(for: version) }
        for (options, code) in [
            (proxy("abc\0def", "x"), TransportError.Code.proxy), (proxy("x", "abc\0def"), .proxy),
            (certificate("abc\0def"), .tls),
        ] {
            let error = #expect(throws: TransportError.self) { try options.validated(for: version) }
            #expect(error?.code == code && error?.message.contains("abc") == false)
        }
    }

    @Test func `the first refused option is known`() throws {
        let handle = try #require(EasyHandle(CurlLibrary.system.get()))
        handle.set(.noSignal, 1)
        #expect(handle.refusal == nil)
        handle.set(.httpVersion, 999)
        handle.set(.sslVersion, 999)
        #expect(handle.refusal?.option == .httpVersion)
    }

    @Test func `an error quotes no password of a proxy`() throws {
        let request = try HTTPRequest(.get, "http://host/")
        let failure = TransferFailure(
            code: 5, text: "Unsupported proxy 'http://me:s3cret@proxy'", systemError: 0, url: request.url)
        let error = failure.error(in: TransferState(request, isStreamed: false, now: .zero))
        #expect(!"\(error)\(error.underlying.map { "\($0)" } ?? "")".contains("s3cret"))
    }
}
