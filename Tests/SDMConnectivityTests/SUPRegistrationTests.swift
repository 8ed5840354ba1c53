import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport
import VendorServices

@testable import SDMConnectivity

@Suite(.needsSlot) struct SUPRegistrationTests {
    private static let password = "open sesame"

    /// A connection to a server.
    private func connection(
        to server: LoopbackServer, session: SDMSession = .test(), store: (any SMPRegistrationStore)? = nil,
        securityConfiguration: String? = nil
    ) throws -> SMPClientConnection {
        let connection = SMPClientConnection(
            applicationID: "com.example.flights", securityConfiguration: securityConfiguration, session: session,
            store: store)
        connection.profile = try SMPConnectionProfile(baseURL: server.url)
        session.clientConnection = connection
        return connection
    }

    private func flights(_ connection: SMPClientConnection, path: String = "Flights") -> SUPRequest {
        let url = connection.profile?.proxyURL("FlightProxy").appending(path: path)
        let request = SUPRequest(url: url, session: connection.session)
        request.setUserName("ann")
        request.setPassword(Self.password)
        return request
    }

    @Test(arguments: [SAPService.Product.unwiredPlatform, .mobilePlatform])
    func `S36: the identifier of the registration is sent on all later requests`(product: SAPService.Product)
        async throws
    {
        var configuration = SAPService.Configuration()
        configuration.product = product
        let service = SAPService(configuration)
        try await LoopbackServer.serving(service) { server in
            let connection = try connection(to: server)
            let before = try await flights(connection).response()
            #expect(before.status == .forbidden)

            let registration = try await connection.register(
                user: "ann", password: Self.password, properties: ["DeviceType": "iPhone"])
            let style: SMPHeaderStyle = product == .unwiredPlatform ? .sup : .smp
            #expect(registration.style == style && service.connections.keys.contains(registration.connectionID))
            #expect(service.connections[registration.connectionID]?["DeviceType"] == "iPhone")
            let request = try #require(server.requests.last { $0.method == "POST" })
            #expect(request.target == "/odata/applications/latest/com.example.flights/Connections")
            #expect(request.fields[.contentType] == "application/atom+xml")

            let data = flights(connection)
            #expect(try await data.response().status == .ok)
            #expect(data.error == nil)
            let sent = try #require(server.requests.last)
            #expect(sent.fields[style.rawValue + "APPCID"] == registration.connectionID)
            // A second registration needs no request.
            let count = server.requestCount
            #expect(try await connection.register(user: "ann", password: Self.password) == registration)
            #expect(server.requestCount == count)
        }
    }

    @Test func `S36: the registration survives the process in the app's store, without the cookies`() async throws {
        let folder = try TemporaryFolder()
        let store = SMPFileRegistrationStore(at: folder.url.appending(path: "registrations"))
        let service = SAPService()
        try await LoopbackServer.serving(service) { server in
            let first = try connection(to: server, store: store)
            let registration = try await first.register(user: "ann", password: Self.password)
            let later = try connection(to: server, store: store)
            #expect(try later.registration()?.connectionID == registration.connectionID)
            #expect(try await flights(later).response().status == .ok)
            try await later.delete()
            #expect(service.connections.isEmpty)
            #expect(try connection(to: server, store: store).registration() == nil)
            #expect(try await flights(later).response().status == .forbidden)
        }
        #expect(try folder.names.isEmpty)
    }

    @Test func `S36: a registration does not carry the identifier of one by another object`() async throws {
        try await LoopbackServer.serving(SAPService()) { server in
            let session = SDMSession.test()
            let first = try await connection(to: server, session: session)
                .register(user: "ann", password: Self.password)
            let second = try await connection(to: server, session: session)
                .register(user: "ann", password: Self.password)
            #expect(first.connectionID != second.connectionID)
            let sent = try #require(server.requests.last)
            #expect(sent.method == "POST" && sent.fields[.cookie]?.contains("APPCID") != true)
        }
    }

    @Test func `S36: the identifier goes to its server only`() async throws {
        let seen = Watched<[HTTPFields]>([])
        let session = SDMSession.test(
            FakeTransport { request in
                seen.update { $0.append(request.fields) }
                return request.response(text: "ok")
            })
        let connection = SMPClientConnection(
            applicationID: "app", domain: "d", securityConfiguration: "c", style: .smp, session: session)
        session.clientConnection = connection
        #expect(connection.setConnectionProfileWithUrl("http://smp.example.com:8080"))
        try connection.setRegistration(connectionID: "id-1")
        for url in ["http://smp.example.com:8080/P/", "http://other.example.com:8080/P/", "http://smp.example.com/P/"] {
            let request = SUPRequest(url: URL(string: url), session: session)
            request.backendURL = URL(string: "http://backend/")
            try await request.response()
        }
        #expect(seen.value.map { $0["X-SMP-APPCID"] } == ["id-1", nil, nil])
        let first = try #require(seen.value.first)
        #expect(first["X-SMP-DOMAIN"] == "d" && first["X-SMP-SC"] == "c")
        #expect(first["X-SMP-BACKEND-URL"] == "http://backend/")
        #expect(seen.value[1].allSatisfy { !$0.name.canonicalName.hasPrefix("x-smp") })
    }

    @Test(arguments: ["X-SUP-", "X-SMP-"])
    func `S36: an identifier that the server assigns on its own is kept, from a cookie or a field`(prefix: String)
        async throws
    {
        let seen = Watched<[String?]>([])
        let isCookie = Watched(true)
        let session = SDMSession.test(
            FakeTransport { request in
                seen.update { $0.append(request.fields["\(prefix)APPCID"]) }
                var response = request.response(text: "ok")
                let value = isCookie.value ? "a-1" : "a-2"
                try response.head.fields.append(
                    isCookie.value ? "Set-Cookie" : "\(prefix)APPCID",
                    isCookie.value ? "\(prefix)APPCID=\(value); Path=/" : value)
                return response
            })
        let connection = SMPClientConnection(applicationID: "app", session: session)
        connection.setConnectionProfileWithHost("smp.example.com", port: 8080)
        session.clientConnection = connection
        for cookie in [true, false, false] {
            isCookie.update { $0 = cookie }
            try await SUPRequest(url: URL(string: "http://smp.example.com:8080/P/"), session: session).response()
        }
        #expect(seen.value == [nil, "a-1", "a-2"])
        #expect(try connection.registration()?.style.rawValue == prefix)
    }

    @Test func `a quote in an identifier of the app or the server stands twice in the connection's URL`() async throws {
        let session = SDMSession.test(
            FakeTransport { request in
                guard request.url.path() == "/P/" else { return request.response(.notFound, text: #"{"error": {}}"#) }
                var response = request.response(text: "ok")
                try response.head.fields.append("X-SUP-APPCID", "it's-2")
                return response
            })
        let connection = SMPClientConnection(applicationID: "app", session: session)
        connection.setConnectionProfileWithUrl("http://smp.example.com/")
        session.clientConnection = connection
        let url = "http://smp.example.com/odata/applications/latest/app/Connections"
        try connection.setRegistration(connectionID: "it's-1")
        #expect(try connection.registration()?.location == url + "('it%27%27s-1')")
        try await SUPRequest(url: URL(string: "http://smp.example.com/P/"), session: session).response()
        #expect(try connection.registration()?.location == url + "('it%27%27s-2')")
        // The server does not know the connection of this URL.
        await #expect(throws: SMPError.self) { try await connection.read() }
        #expect(try connection.registration() == nil)
    }

    @Test func `the connection is read, replaced, changed and deleted`() async throws {
        let service = SAPService()
        try await LoopbackServer.serving(service) { server in
            let connection = try connection(to: server)
            let error = await #expect(throws: SMPError.self) { try await connection.read() }
            #expect(error?.code == .notRegistered && error?.errorCode == 70001)
            let id = try await connection.register(
                user: "ann", password: Self.password, properties: ["DeviceType": "iPhone"]
            ).connectionID
            #expect(try await connection.read().value["DeviceType"]?.string == "iPhone")
            try await connection.update(["DeviceType": "iPad"])
            #expect(service.connections[id]?["DeviceType"] == "iPad")
            try await connection.replace(["DeviceType": "Linux"])
            #expect(service.connections[id]?["DeviceType"] == "Linux")
            #expect(server.requests.map(\.method).contains("MERGE") && server.requests.map(\.method).contains("PUT"))
            let fixed = await #expect(throws: SMPError.self) {
                try await connection.update(["ApplicationConnectionId": "x"])
            }
            #expect(fixed?.errorCode == 70005)
            // One that the server has lost can be deleted, and registered again.
            service.forgetConnections()
            try await connection.delete()
            #expect(try connection.registration() == nil)
            let second = try await connection.register(user: "ann", password: Self.password)
            #expect(second.connectionID != id)
        }
    }

    @Test(arguments: [false, true])
    func `a registration that the server has lost is made again, and its password is checked`(isRead: Bool) async throws
    {
        let folder = try TemporaryFolder()
        let store = SMPFileRegistrationStore(at: folder.url.appending(path: "registrations"))
        let service = SAPService()
        try await LoopbackServer.serving(service) { server in
            let connection = try connection(to: server, store: store)
            let lost = try await connection.register(user: "ann", password: Self.password)
            service.forgetConnections()
            if isRead {
                let error = await #expect(throws: SMPError.self) { try await connection.read() }
                #expect(error?.statusCode == 404)
            } else {
                #expect(try await flights(connection).response().status == .forbidden)
            }
            #expect(try connection.registration() == nil)
            #expect(try folder.names.isEmpty)
            let refused = await #expect(throws: SMPError.self) {
                try await connection.register(user: "ann", password: "wrong")
            }
            #expect((refused?.underlying as? SDMError)?.code == .authentication)
            let next = try await connection.register(user: "ann", password: Self.password)
            #expect(next.connectionID != lost.connectionID)
            #expect(try await flights(connection).response().status == .ok)
        }
    }

    @Test(arguments: [
        (HTTPStatus.forbidden, "Not allowed", "/P/Flights"),
        (HTTPStatus.notFound, #"{"error": {}}"#, "/P/Connections('id-2')"),
        (HTTPStatus.notFound, "<html/>", "/odata/applications/latest/app/Connections('id-1')"),
    ])
    func `a registration is not lost by another refusal`(status: HTTPStatus, text: String, path: String) async throws {
        let session = SDMSession.test(FakeTransport { $0.response(status, text: text) })
        let connection = SMPClientConnection(applicationID: "app", session: session)
        connection.setConnectionProfileWithUrl("http://smp.example.com/")
        session.clientConnection = connection
        try connection.setRegistration(connectionID: "id-1")
        let request = SUPRequest(url: URL(string: "http://smp.example.com" + path), session: session)
        #expect(try await request.response().status == status)
        #expect(try connection.registration()?.connectionID == "id-1")
    }

    @Test func `anonymous access uses the public path, without credentials`() async throws {
        try await LoopbackServer.serving(SAPService()) { server in
            let connection = try connection(to: server, securityConfiguration: "Anonymous")
            try await connection.register()
            #expect(server.requests[0].target.hasPrefix("/public/odata/applications/latest/"))
            #expect(server.requests.allSatisfy { $0.fields[.authorization] == nil })
        }
    }

    @Test func `wrong credentials and empty parameters`() async throws {
        try await LoopbackServer.serving(SAPService()) { server in
            let connection = try connection(to: server)
            let refused = await #expect(throws: SMPError.self) {
                try await connection.register(user: "ann", password: "wrong")
            }
            #expect(refused?.errorCode == 71000 && (refused?.underlying as? SDMError)?.code == .authentication)
            #expect(refused?.statusCode == 401)
            #expect(try connection.registration() == nil)
            let count = server.requestCount
            let empty = await #expect(throws: SMPError.self) { try await connection.register(user: "", password: "") }
            #expect(empty?.errorCode == 70004 && server.requestCount == count)
        }
    }

    @Test func `the error for the credentials of a proxy has its status`() async throws {
        let session = SDMSession.test(FakeTransport { try $0.proxyChallenge(#"Basic realm="p""#) })
        let connection = SMPClientConnection(applicationID: "app", session: session)
        connection.setConnectionProfileWithUrl("http://smp.example.com/")
        let error = await #expect(throws: SMPError.self) { try await connection.register(user: "a", password: "b") }
        #expect((error?.underlying as? SDMError)?.code == .authentication && error?.statusCode == 407)
    }

    @Test func `a response without an identifier is a parser error`() async throws {
        let session = SDMSession.test(FakeTransport { $0.response(.created, text: "<entry/>") })
        let connection = SMPClientConnection(applicationID: "app", session: session)
        connection.setConnectionProfileWithHost("smp.example.com", port: 8080)
        let error = await #expect(throws: SMPError.self) { try await connection.register(user: "a", password: "b") }
        #expect(error?.code == .parser && error?.errorCode == 70008 && error?.statusCode == 201)
    }

    // MARK: Relay servers

    @Test func `registration through a relay server`() async throws {
        try await LoopbackServer.serving(SAPService()) { server in
            let connection = SMPClientConnection(applicationID: "app", session: .test())
            let host = try #require(server.url.host())
            #expect(connection.setConnectionProfileWithHost(host, port: server.port, farm: "Farm1"))
            try await connection.register(user: "ann", password: Self.password)
            let request = flights(connection)
            request.connection = connection
            #expect(try await request.response().status == .ok)
            #expect(server.requests.allSatisfy { $0.target.hasPrefix("/ias_relay_server/client/rs_client.dll/Farm1/") })
        }
    }

    // MARK: The vendor's calls

    private final class Registrar: SMPUserManagerDelegate, Sendable {
        let log = Watched<[String]>([])
        func userRegistrationSuccessful(_ userManager: SMPUserManager) { log.update { $0.append("successful") } }
        // As Swift imported the vendor's header.
        func userRegistrationFailed(_ userManager: SMPUserManager!) {
            log.update { $0.append("failed \(userManager.lastError?.errorCode ?? 0)") }
        }
    }

    @Test func `the user manager registers with blocking calls and with its delegate`() async throws {
        let service = SAPService()
        try await LoopbackServer.serving(service) { server in
            let connection = try connection(to: server)
            let manager = SMPUserManager.initializeWithConnection(connection)
            let results = Watched<[String]>([])
            await onThread {
                var error: NSError?
                func add(_ result: Bool) {
                    let text = "\(result) \(error?.code ?? 0)"
                    results.update { $0.append(text) }
                }
                add(manager.registerUser("ann", password: "wrong", error: &error, isSyncFlag: true))
                add(manager.registerUser("", password: "", error: &error, isSyncFlag: true))
                add(
                    manager.registerUser(
                        "ann", password: Self.password, captchaText: "x", error: &error, isSyncFlag: true))
                add(manager.registerUser("ann", password: Self.password, error: &error, isSyncFlag: true))
                add(manager.deleteUser("ann", password: Self.password, error: &error))
                add(manager.deleteUser("ann", password: Self.password, error: &error))
                #expect(manager.registrationError == error && manager.applicationConnectionID == nil)
                #expect(throws: SMPError.self) { try manager.deleteUser("ann", password: Self.password) }
            }
            #expect(results.value == ["false 71000", "false 70004", "false 71000", "true 0", "true 0", "false 70001"])

            // The session has the credentials that the server has accepted, which are not used for the wrong ones.
            let registrar = Registrar()
            SMPUserManager.setDelegate(registrar)
            defer { SMPUserManager.setDelegate(nil) }
            for password in ["wrong", Self.password] {
                await onThread {
                    var error: NSError?
                    manager.registerUser("ann", password: password, error: &error, isSyncFlag: false)
                }
                let count = password == "wrong" ? 1 : 2
                try await registrar.log.wait { $0.count >= count }
            }
            #expect(registrar.log.value == ["failed 71000", "successful"])
            #expect(service.connections.count == 1)
            try await checkServers(registrar)
        }
    }

    /// Checks that the password goes to the server at the call, not to one that the app sets afterwards.
    private func checkServers(_ registrar: Registrar) async throws {
        let transport = ScriptedTransport {
            $0.response(.created, fields: try HTTPFields(["Set-Cookie": "X-SUP-APPCID=id-1"]))
        }
        let (session, start) = (SDMSession.test(transport), registrar.log.value.count)
        // The task of a registration may start before the next line of the app.
        for number in 1...20 {
            let connection = SMPClientConnection(applicationID: "app", session: session)
            connection.setConnectionProfileWithUrl("http://first.example.com/")
            let manager = SMPUserManager(connection: connection)
            await onThread {
                var error: NSError?
                manager.registerUser("ann", password: Self.password, error: &error, isSyncFlag: false)
                connection.setConnectionProfileWithUrl("http://second.example.com/")
                connection.version = "v1"
            }
            try await registrar.log.wait { $0.count >= start + number }
        }
        let urls = transport.requests.map(\.url)
        #expect(urls.count == 20)
        #expect(urls.allSatisfy { $0.host() == "first.example.com" && $0.path().contains("/latest/") })
    }

    @Test func `numbers of errors, and secrets in descriptions`() {
        let codes: [SMPError.Code] = [
            .notRegistered, .passwordPolicy, .pushEndpoint, .emptyParameters, .notEditable,
            .customizationBundleMissing, .customizationBundleInvalid, .parser, .internalError,
        ]
        #expect(codes.map(\.number) == [70001, 70002, 70003, 70004, 70005, 70006, 70007, 70008, 71000])
        let registration = SMPRegistration(
            applicationID: "app", connectionID: "secret-id", location: "l", style: .smp)
        #expect(!"\(registration)".contains("secret-id") && !String(reflecting: registration).contains("secret-id"))
    }

    @Test func `errors of operations on the connection do not show its identifier`() async throws {
        let session = SDMSession.test(
            FakeTransport { $0.response(.forbidden, text: "No access to Connections('secret-id')") })
        let connection = SMPClientConnection(applicationID: "app", session: session)
        #expect(connection.setConnectionProfileWithUrl("http://smp.example.com"))
        try connection.setRegistration(connectionID: "secret-id")
        let error = await #expect(throws: SMPError.self) { try await connection.read() }
        #expect(error?.statusCode == 403 && error?.description.contains("Connections(<redacted>)") == true)
        #expect(error?.description.contains("secret-id") == false)
    }
}
