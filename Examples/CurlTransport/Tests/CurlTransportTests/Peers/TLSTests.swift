import CurlTransport
import Foundation
import HTTPMessages
import TestSupport
import Testing
import Transport

@Suite(.needsSlot, .enabled(if: Peer.isRunning, "PATCHBAY_TLS_PORT and PATCHBAY_TLS_FILES are not set."))
struct TLSTests {
    private typealias Options = CurlTransport.NetworkOptions

    private func send(_ peer: Peer, host: String = "127.0.0.1", _ options: Options) async throws -> HTTPResponse {
        try await CurlTransport(network: options).send(peer.request(host: host))
    }

    private func failure(_ peer: Peer, host: String = "127.0.0.1", _ options: Options) async -> TransportError? {
        await transportError { _ = try await send(peer, host: host, options) }
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `a certificate of a private authority is accepted where it is trusted`(host: String) async throws {
        #expect(try await send(.valid, host: host, .test()).status == .ok)
        let authority = try Data(contentsOf: Peer.file("ca.pem"))
        #expect(try await send(.valid, host: host, .test { $0.trustAnchors = .only(.data([authority])) }).status == .ok)
    }

    @Test func `a certificate of an authority that is not trusted is refused`() async throws {
        let other = try Data(contentsOf: Peer.file("other-ca.pem"))
        for anchors in [TrustAnchors.system, .only(.data([other])), .only(.file(Peer.file("other-ca.pem")))] {
            let error = await failure(.valid, .test { $0.trustAnchors = anchors })
            #expect(error?.code == .tls && error?.tlsFailure == .untrustedCertificate, "\(anchors)")
        }
    }

    @Test(arguments: [
        (Peer.wrongHost, TransportError.TLSFailure.hostMismatch), (.expired, .expiredCertificate),
        (.selfSigned, .untrustedCertificate),
    ])
    func `a bad certificate is refused, and accepted without verification`(
        peer: Peer, reason: TransportError.TLSFailure
    ) async throws {
        let error = await failure(peer, .test())
        #expect(error?.code == .tls && error?.tlsFailure == reason, "\(error as Any)")
        #expect(error?.underlying is CurlError)
        #expect(try await send(peer, .test { $0.verifiesServerCertificates = false }).status == .ok)
    }

    @Test func `a self-signed certificate can itself be trusted`() async throws {
        let options = Options.test { $0.trustAnchors = .only(.file(Peer.file("self-signed.pem"))) }
        #expect(try await send(.selfSigned, options).status == .ok)
        #expect(await failure(.valid, options)?.tlsFailure == .untrustedCertificate)
    }

    @Test func `only a pinned key is accepted`() async throws {
        let text = try String(contentsOf: Peer.file("server.pin"), encoding: .utf8)
        let pin = try PublicKeyPin(text.trimmingCharacters(in: .newlines))
        let other = try PublicKeyPin("sha256/" + Data(repeating: 7, count: 32).base64EncodedString())
        for pins in [[pin], [other, pin]] {
            #expect(try await send(.valid, .test { $0.pinnedPublicKeys = Set(pins) }).status == .ok)
        }
        let error = await failure(.valid, .test { $0.pinnedPublicKeys = [other] })
        #expect(error?.code == .tls && error?.message.contains("pinned") == true, "\(error as Any)")
        // A pin does not replace the authority.
        let untrusted = Options.test {
            $0.pinnedPublicKeys = [pin]
            $0.trustAnchors = .system
        }
        #expect(await failure(.valid, untrusted)?.tlsFailure == .untrustedCertificate)
    }

    @Test func `authorities in addition to the system's are refused, since libcurl has one list`() throws {
        let options = Options.test { $0.trustAnchors = .additional(.file(Peer.file("ca.pem"))) }
        #expect(#expect(throws: TransportError.self) { try CurlTransport(network: options) }?.code == .unsupported)
    }

    @Test func `a client certificate from files and from memory opens a server that demands one`() async throws {
        let files = CurlTransport.ClientCertificate(
            certificateFile: Peer.file("client.pem"), keyFile: Peer.file("client.key"))
        let memory = CurlTransport.ClientCertificate(
            certificate: try Data(contentsOf: Peer.file("client.pem")),
            key: try Data(contentsOf: Peer.file("client.key")))
        let locked = CurlTransport.ClientCertificate(
            certificateFile: Peer.file("client.pem"), keyFile: Peer.file("client-locked.key"), password: "hush")
        for certificate in [files, memory, locked] {
            let response = try await send(.mutual, .test { $0.clientCertificate = certificate })
            #expect(response.status == .ok && response.shown == ["CN=client"])
        }
        // Without one the handshake succeeds, and the server refuses the request.
        #expect(try await send(.mutual, .test()).status == .badRequest)
    }

    @Test func `files that are replaced count for the next connection`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        func copy(_ name: String, to place: String) throws -> URL {
            let file = folder.url.appending(path: place)
            try Data(contentsOf: Peer.file(name)).write(to: file)
            return file
        }
        func copyIdentity(_ name: String) throws -> CurlTransport.ClientCertificate {
            try CurlTransport.ClientCertificate(
                certificateFile: copy("\(name).pem", to: "own.pem"), keyFile: copy("\(name).key", to: "own.key"))
        }
        let (authority, identity) = (try copy("ca.pem", to: "ca.pem"), try copyIdentity("client"))
        let options = Options.test {
            $0.trustAnchors = .only(.file(authority))
            $0.clientCertificate = identity
        }
        let transport = try CurlTransport(network: options)
        var request = try Peer.mutual.request()
        request.options.usesNewConnection = true
        #expect(try await transport.send(request).shown == ["CN=client"])
        _ = try copyIdentity("server")
        #expect(try await transport.send(request).shown == ["CN=server"])
        _ = try copy("other-ca.pem", to: "ca.pem")
        let error = await transportError { _ = try await transport.send(request) }
        #expect(error?.tlsFailure == .untrustedCertificate, "\(error as Any)")
    }

    @Test func `a client certificate that cannot be used is a tls error without its password`() async throws {
        let pairs = [
            ("client.pem", "server.key", nil), ("client.pem", "client-locked.key", "wrong-hush"),
            ("nothing.pem", "client.key", nil), ("openssl.log", "client.key", nil),
        ]
        for (certificate, key, password) in pairs {
            let error = await failure(
                .mutual,
                .test {
                    $0.clientCertificate = .init(
                        certificateFile: Peer.file(certificate), keyFile: Peer.file(key), password: password)
                })
            #expect(error?.code == .tls, "\(certificate), \(key): \(error as Any)")
            #expect(error.map { "\($0)".contains("hush") } == false)
        }
    }

    @Test func `the lowest version of TLS is kept`() async throws {
        #expect(try await send(.old, .test()).status == .ok)
        let error = await failure(.old, .test { $0.minimumTLSVersion = .tls13 })
        #expect(error?.code == .tls && error?.tlsFailure == .handshake, "\(error as Any)")
        #expect(try await send(.valid, .test { $0.minimumTLSVersion = .tls13 }).status == .ok)
    }

    @Test func `an https request to a server without TLS is a tls error`()
        async throws
    {
        let url = Peer.plain.origin().replacing("http:", with: "https:")
        let transport = try CurlTransport(network: .test())
        let error = await transportError { _ = try await transport.send(HTTPRequest(.get, url)) }
        #expect(error?.code == .tls && error?.tlsFailure == .handshake, "\(error as Any)")
    }

    // OpenSSL would ask the terminal for the password, on the event thread.
    @Test func `an encrypted key without a password is an error`() async throws {
        let (certificate, key) = (Peer.file("client.pem"), Peer.file("client-locked.key"))
        let sources = [
            CurlTransport.ClientCertificate(certificateFile: certificate, keyFile: key),
            try CurlTransport.ClientCertificate(
                certificate: Data(contentsOf: certificate), key: Data(contentsOf: key)),
        ]
        for source in sources {
            let error = await failure(.mutual, .test { $0.clientCertificate = source })
            #expect(error?.code == .tls, "\(error as Any)")
        }
    }
}
