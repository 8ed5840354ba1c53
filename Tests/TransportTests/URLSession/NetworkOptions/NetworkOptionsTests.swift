import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@testable import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.needsSlot) struct NetworkOptionsTests {
    typealias Options = URLSessionTransport.NetworkOptions
    typealias Change = @Sendable (inout Options) -> Void

    private static let pins = Set([try? PublicKeyPin(ofPublicKey: Data([1]))].compactMap(\.self))

    private static let script = URL(string: "https://host/proxy.pac") ?? URL(filePath: "/")

    /// Each option, and whether libcurl and CFNetwork honor it.
    private static let table: [(name: String, change: Change, libcurl: Bool, cfNetwork: Bool)] = [
        ("proxy", { $0.proxy = .none }, false, true),
        ("proxy", { $0.proxy = .http(host: "proxy", port: 1) }, false, true),
        ("proxy", { $0.proxy = .automatic(script) }, false, true),
        ("prefersHTTP3", { $0.prefersHTTP3 = true }, false, true),
        ("sniffsMediaTypes", { $0.sniffsMediaTypes = true }, false, true),
        ("allowsCellularAccess", { $0.allowsCellularAccess = false }, false, true),
        ("allowsExpensiveAccess", { $0.allowsExpensiveAccess = false }, false, true),
        ("allowsConstrainedAccess", { $0.allowsConstrainedAccess = false }, false, true),
        ("minimumTLSVersion", { $0.minimumTLSVersion = .tls12 }, false, true),
        ("minimumTLSVersion", { $0.minimumTLSVersion = .tls13 }, false, true),
        ("trustAnchors", { $0.trustAnchors = .only(.data([])) }, false, true),
        ("trustAnchors", { $0.trustAnchors = .additional(.data([Data()])) }, false, true),
        ("verifiesServerCertificates", { $0.verifiesServerCertificates = false }, false, true),
        ("pinnedCertificates", { $0.pinnedCertificates = [Data()] }, false, true),
        ("pinnedPublicKeys", { $0.pinnedPublicKeys = pins }, false, true),
        ("clientCertificate", { $0.clientCertificate = .init(pkcs12: Data(), password: "") }, false, true),
        ("configureSession", { $0.configureSession = { _ in } }, true, true),
        ("defaults", { _ in }, true, true),
    ]

    private func options(_ change: Change) -> Options {
        var options = Options()
        change(&options)
        return options
    }

    private func error(_ options: Options, _ engine: EngineKind) -> TransportError? {
        do throws(TransportError) { try options.validate(for: engine) } catch { return error }
        return nil
    }

    @Test(arguments: table.indices)
    func `an option that the platform cannot honor is an error with its name`(index: Int) {
        let row = Self.table[index]
        let options = options(row.change)
        for (engine, isSupported) in [(EngineKind.libcurl, row.libcurl), (.cfNetwork, row.cfNetwork)] {
            let error = error(options, engine)
            #expect((error == nil) == isSupported, "\(row.name) on \(engine)")
            #expect(isSupported || error?.code == .unsupported)
            #expect(isSupported || error?.message.contains("`\(row.name)`") == true)
        }
    }

    @Test func `the table has every option`() {
        let names = Mirror(reflecting: Options()).children.compactMap(\.label)
        #expect(Set(names) == Set(Self.table.map(\.name)).subtracting(["defaults"]))
    }

    @Test(arguments: table.indices)
    func `a transport is not created with options that this platform cannot honor`(index: Int) {
        let row = Self.table[index]
        let isSupported = EngineKind.current == .libcurl ? row.libcurl : row.cfNetwork
        guard !isSupported else { return }
        let error = #expect(throws: TransportError.self) {
            try URLSessionTransport(network: options(row.change), clock: ManualClock())
        }
        #expect(error?.code == .unsupported)
    }

    @Test(
        arguments: [
            ("proxy.example.com", 3128, true), ("10.0.0.1", 1, true), ("::1", 8080, true), ("bücher.example", 80, true),
            ("", 80, false), ("proxy", 0, false), ("http://proxy", 80, false), ("proxy:80", 80, false),
            ("u:p@proxy", 80, false), ("pro xy", 80, false), ("proxy\r\nx", 80, false), ("proxy/", 80, false),
        ] as [(String, UInt16, Bool)])
    func `the address of a proxy is checked`(host: String, port: UInt16, isValid: Bool) {
        let error = error(options { $0.proxy = .http(host: host, port: port) }, .cfNetwork)
        #expect(error?.code == (isValid ? nil : .proxy))
    }

    @Test func `the proxy dictionary has Apple's keys`() throws {
        #expect(Options.Proxy.system.dictionary == nil)
        #expect(Options.Proxy.none.dictionary?.isEmpty == true)
        let dictionary = try #require(Options.Proxy.http(host: "proxy", port: 3128).dictionary)
        #expect(
            dictionary as? [String: AnyHashable] == [
                "HTTPEnable": 1, "HTTPProxy": "proxy", "HTTPPort": 3128, "HTTPSEnable": 1, "HTTPSProxy": "proxy",
                "HTTPSPort": 3128,
            ])
    }

    @Test func `a proxy script has Apple's keys, and tells no proxy`() throws {
        let proxy = Options.Proxy.automatic(try #require(URL(string: "http://host:8080/proxy.pac?site=1")))
        #expect(
            proxy.dictionary as? [String: AnyHashable] == [
                "ProxyAutoConfigEnable": 1, "ProxyAutoConfigURLString": "http://host:8080/proxy.pac?site=1",
            ])
        let request = try HTTPRequest(.get, "http://example.com/")
        #expect(!options { $0.proxy = proxy }.sendsToProxy(request.origin))
    }

    @Test(
        arguments: [
            ("http://example.com/", true), ("https://example.com/", false), ("http://localhost:8080/", false),
            ("http://127.0.0.1/", false), ("http://127.0.0.%31/", false), ("http://%6Cocalhost/", false),
            ("http://[fe80::1%25eth0]/", false),
        ])
    func `a proxy gets its credentials by http to other machines, unless the host is encoded`(
        url: String, isUsed: Bool
    ) throws {
        let origin = Origin(try URL(httpString: url))
        #expect(options { $0.proxy = .http(host: "proxy", port: 3128) }.sendsToProxy(origin) == isUsed)
    }

    @Test(arguments: [
        "file:///etc/proxy.pac", "proxy.pac", "ftp://host/proxy.pac", "http:/proxy.pac", "https://ann@host/proxy.pac",
        "https://ann:sesame@host/proxy.pac",
    ])
    func `the URL of a proxy script is checked`(text: String) throws {
        let url = try #require(URL(string: text))
        #expect(error(options { $0.proxy = .automatic(url) }, .cfNetwork)?.code == .proxy)
        #expect(error(options { $0.proxy = .automatic(url) }, .cfNetwork)?.message.contains("sesame") == false)
    }

    @Test func `the hook runs once per session, and cannot change what the transport depends on`() {
        var options = Options()
        options.configureSession = { configuration in
            configuration.networkServiceType = .background
            configuration.urlCache = .shared
            configuration.httpCookieStorage = .shared
            configuration.httpShouldSetCookies = true
            configuration.urlCredentialStorage = .shared
            configuration.timeoutIntervalForRequest = 1
        }
        let configuration = URLSessionConfiguration.patchbay(maximumConnectionsPerHost: 7, options: options)
        #expect(configuration.networkServiceType == .background)
        #expect(configuration.urlCache == nil && configuration.httpCookieStorage == nil)
        #expect(configuration.urlCredentialStorage == nil && !configuration.httpShouldSetCookies)
        #expect(configuration.timeoutIntervalForRequest == .longerThanAnyRequest)
    }

    @Test func `sniffing is turned off in a request that is otherwise the same`() throws {
        let original = try HTTPRequest(
            .post, "http://host/path?a=b", fields: HTTPFields(["X-A": "b"]), body: .text("body"))
        let transfer = Transfer(original, timers: TimerQueue(AnyMonotonicClock(ManualClock())))
        for upload in [RequestBodyUpload.bytes(Data("body".utf8)), .file(URL(filePath: "/dev/null"))] {
            let before = try URLRequest(transfer, upload)
            var after = before
            after.turnOffSniffing()
            #if canImport(Darwin)
                // Foundation on Linux loses properties when a request is bridged.
                #expect(URLProtocol.property(forKey: URLRequest.sniffingKey, in: before) == nil)
                #expect(URLProtocol.property(forKey: URLRequest.sniffingKey, in: after) as? Bool == false)
            #endif
            #expect(after.url == before.url && after.httpMethod == "POST" && after.httpBody == before.httpBody)
            #expect(after.httpBodyStream === before.httpBodyStream)
            #expect(after.allHTTPHeaderFields == before.allHTTPHeaderFields)
            #expect(after.timeoutInterval == before.timeoutInterval && after.cachePolicy == before.cachePolicy)
            #expect(!after.httpShouldHandleCookies)
        }
    }

    #if canImport(Darwin)
        @Test func `sniffing is off unless the options turn it on`() throws {
            let original = try HTTPRequest(.get, "https://host/")
            for isOn in [false, true] {
                var request = URLRequest(url: original.url)
                options { $0.sniffsMediaTypes = isOn }.apply(to: &request, of: original)
                #expect((URLProtocol.property(forKey: URLRequest.sniffingKey, in: request) == nil) == isOn)
            }
        }
    #endif

    @Test func `requests are sent with what the hook has set`() async throws {
        try await LoopbackServer.serving(echo) { server in
            let calls = Mutex(0)
            var options = Options()
            options.configureSession = { _ in calls.withLock { $0 += 1 } }
            let transport = try URLSessionTransport(
                configuration: .init(sessionCount: 3), network: options, clock: ManualClock())
            #expect(calls.withLock(\.self) == 3)
            // One with other options keeps the rest, also the number of sessions.
            #expect(throws: TransportError.self) { try transport.changed { $0.proxy = .http(host: "", port: 1) } }
            let changed = try transport.changed { #expect($0.configureSession != nil && $0.sniffsMediaTypes == false) }
            #expect(calls.withLock(\.self) == 6)
            #expect(try await changed.send(server.request(.post, body: .text("y"))).body == Data("y".utf8))
            #expect(try await transport.send(server.request(.post, body: .text("x"))).body == Data("x".utf8))
        }
    }

    #if canImport(FoundationNetworking)
        // When this fails, Foundation honors the option, and `unsupported(on:)` can allow it.
        @Test func `Foundation on Linux ignores the proxy of a configuration`() async throws {
            let proxy = try LoopbackServer(service: echo)
            try await proxy.stopping(after: { proxy in
                try await LoopbackServer.serving(echo) { server in
                    let port = try #require(try server.request().url.port)
                    let proxyPort = try UInt16(#require(try proxy.request().url.port))
                    #expect(port != Int(proxyPort))
                    var options = Options()
                    options.configureSession = {
                        $0.connectionProxyDictionary = Options.Proxy.http(host: "127.0.0.1", port: proxyPort).dictionary
                    }
                    let transport = try URLSessionTransport(network: options, clock: ManualClock())
                    #expect(try await transport.send(server.request()).status == .ok)
                    #expect(server.requestCount == 1 && proxy.requestCount == 0)
                }
            })
        }
    #endif

    @Test func `a client certificate shows no secrets`() {
        let certificate = URLSessionTransport.ClientCertificate(pkcs12: Data("private".utf8), password: "hunter2")
        var dumped = ""
        dump(certificate, to: &dumped)
        var options = Options()
        options.clientCertificate = certificate
        for text in ["\(certificate)", String(reflecting: certificate), dumped, "\(options)"] {
            #expect(!text.contains("hunter2") && !text.contains("private"), "\(text)")
        }
    }
}
