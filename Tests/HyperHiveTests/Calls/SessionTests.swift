import Delegation
import Foundation
import HTTPMessages
import HyperHive
import PatchbayTestKit
import TestSupport
import Testing
import VendorServices

@Suite(.needsSlot) struct SessionTests {
    @Test(arguments: [("ann", "p@ss:w%rd+1"), ("Анна", "пароль"), ("a@b.example", "open sesame")])
    func `HyperHive 20: sign-in with special characters`(login: String, password: String) async throws {
        var settings = HyperHiveService.Configuration()
        settings.users = [login: password]
        try await Hive.serving(settings) { hive in
            let result = try await hive.client.signIn(login, password: password)
            #expect(hive.client.isSignedIn && result.status == .ok)
            #expect(result.raw == ["token": "<redacted>"])
        }
    }

    @Test func `HyperHive 20: sign-in of an app that percent-encodes`() async throws {
        var settings = HyperHiveService.Configuration()
        settings.users = ["a@b": "p%:+"]
        try await Hive.serving(settings, wire: FMPWire(decodesCredentials: true)) { hive in
            try await hive.client.signIn("a%40b", password: "p%25%3A+")
            #expect(hive.client.isSignedIn)
        }
    }

    @Test func `HyperHive 16: a wrong password is Server 401, and the client stays signed out`() async throws {
        try await Hive.serving { hive in
            let error = await #expect(throws: HyperHiveError.self) {
                try await hive.client.signIn("ann", password: "not it")
            }
            #expect(error?.code == .unauthorized && !hive.client.isSignedIn)
            #expect(error?.result.errors == [.init(.server, 401, "Unknown user or wrong password")])
            #expect(error?.result.raw == nil && error?.result.response?.status == 401)
            // Nor does it end an earlier sign-in.
            try await hive.client.signIn("ann", password: "open sesame")
            await #expect(throws: HyperHiveError.self) { try await hive.client.signIn("ann", password: "not it") }
            #expect(hive.client.isSignedIn)
        }
    }

    @Test func `HyperHive 21: password and token are in no envelope, error or description`() async throws {
        var settings = HyperHiveService.Configuration()
        settings.makeID = { "t0ken-that-nothing-shows" }
        try await Hive.serving(settings) { hive in
            let result = try await hive.client.signIn("ann", password: "open sesame")
            try hive.client.openDatabase(Hive.database)
            let sync = try await hive.sync()
            hive.service.inject(.status(.internalServerError))
            let error = await hive.syncError()
            var dumped = ""
            dump(hive.client, to: &dumped)
            dump(hive.controller, to: &dumped)
            dump(error, to: &dumped)
            let texts = [
                result.text, "\(result)", "\(result.dictionary)", sync.result.text, "\(hive.client)", dumped,
                error?.result.text ?? "", "\(String(describing: error))",
            ]
            for text in texts { #expect(!text.contains("t0ken") && !text.contains("open sesame"), "\(text)") }
            #expect(hive.sent("Authorization").last == "Bearer t0ken-that-nothing-shows")
        }
    }

    @Test func `HyperHive 16: an expired token is Server 401, and the client is no longer signed in`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            hive.service.expireTokens()
            let error = await hive.syncError()
            #expect(error?.code == .unauthorized && error?.result.status == .error)
            #expect(error?.result.errors == [.init(.server, 401, "Invalid token")])
            #expect(!hive.client.isSignedIn)
            try await hive.client.signIn("ann", password: "open sesame")
            #expect(try await hive.sync().version == 1)
        }
    }

    @Test func `HyperHive 16: a 401 for the token of an earlier sign-in does not end a newer one`() async throws {
        let gate = Gate()
        let transport = ScriptedTransport(
            [.json(["token": "t0ken-1"]), .after(gate, .status(.unauthorized)), .json(["token": "t0ken-2"])])
        let client = HyperHive(
            HyperHiveConfiguration(host: "http://h", environment: "e", project: "p", device: "d"), transport: transport)
        try await client.signIn("ann", password: "open sesame")
        let call = Task { try await client.table("R") }
        try await gate.waitForWaiters(1)
        try await client.signIn("ann", password: "open sesame")
        gate.open()
        let error = await #expect(throws: HyperHiveError.self) { try await call.value }
        #expect(error?.code == .unauthorized && client.isSignedIn)
    }

    @Test func `configuring again drops the token, and a sign-in in flight does not bring one back`() async throws {
        try await Hive.serving { hive in
            try await hive.client.signIn("ann", password: "open sesame")
            let configuration = try #require(hive.client.configuration)
            hive.client.configure(configuration)
            #expect(!hive.client.isSignedIn)
            let gate = Gate()
            hive.service.inject(.hold(gate), at: .authentication)
            let late = Task { try await hive.client.signIn("ann", password: "open sesame") }
            try await gate.waitForWaiters(1)
            hive.client.configure(configuration)
            let error = await #expect(throws: HyperHiveError.self) { try await ended(late, gate) }
            #expect(error?.code == .cancelled && error?.result.status == .cancel && error?.result.raw == nil)
            #expect(error?.message.hasPrefix("The sign-in has no effect") == true)
            #expect(!hive.client.isSignedIn)
            try await hive.client.signIn("ann", password: "open sesame")
            hive.client.signOut()
            #expect(!hive.client.isSignedIn)
        }
    }

    @Test(arguments: [false, true])
    func `of two sign-ins at once the one that began last has effect`(lastEndsFirst: Bool) async throws {
        var settings = HyperHiveService.Configuration()
        settings.users["bob"] = "b"
        try await Hive.serving(settings) { hive in
            try await hive.client.signIn("ann", password: "open sesame")
            let gates = [Gate(), Gate()]
            for gate in gates { hive.service.inject(.hold(gate), at: .authentication) }
            let ann = Task { try await hive.client.signIn("ann", password: "open sesame") }
            try await gates[0].waitForWaiters(1)
            let bob = Task { try await hive.client.signIn("bob", password: "b") }
            try await gates[1].waitForWaiters(1)
            if !lastEndsFirst { #expect(try await ended(ann, gates[0]).status == .ok) }
            #expect(try await ended(bob, gates[1]).status == .ok)
            if lastEndsFirst {
                let error = await #expect(throws: HyperHiveError.self) { try await ended(ann, gates[0]) }
                #expect(error?.code == .cancelled)
            }
            try hive.client.openDatabase(Hive.database)
            #expect(try await hive.sync("PRICES").result.request.login == "bob")
        }
    }

    /// Opens a gate, and waits for the sign-in behind it.
    private func ended(
        _ signIn: Task<HyperHiveResult, any Error>, _ gate: Gate
    ) async throws -> HyperHiveResult {
        gate.open()
        return try await signIn.value
    }

    @Test(arguments: ["", "fmp.example.com", "ftp://h"])
    func `an invalid host is an error before anything is sent`(host: String) async throws {
        let transport = ScriptedTransport([])
        let client = HyperHive(
            HyperHiveConfiguration(host: host, environment: "", project: "", device: ""), transport: transport)
        let error = await #expect(throws: HyperHiveError.self) { try await client.signIn("a", password: "b") }
        #expect(error?.code == .configuration && error?.result.errors.first?.source == .curl)
        let unset = await #expect(throws: HyperHiveError.self) {
            try await HyperHive(transport: transport).signIn("a", password: "b")
        }
        #expect(unset?.code == .configuration && transport.requests.isEmpty)
    }

    @Test(arguments: [
        "https://ann:open-sesame@h", "https://open-sesame@h/", "ann:open-sesame@h", "https://h/?token=open-sesame",
    ])
    func `HyperHive 21: a host with credentials is refused, and shown nowhere`(host: String) async throws {
        let transport = ScriptedTransport([])
        let controller = HHFWController(client: HyperHive(transport: transport))
        controller.delivery = .inline
        controller.initWithCredentials("v1", host: host, environment: "e", project: "p", device: "d")
        let envelope = await result { controller.auth("ann", password: "secret", handler: $0) }
        #expect(envelope["status"] == "error" && envelope["errors"]?[0]?["source"] == "cURL")
        #expect(envelope["errors"]?[0]?["description"]?.string?.hasPrefix("Invalid host: ") == true)
        #expect(envelope["request"]?["credentials"]?["host"] == "<redacted>")
        let error = await #expect(throws: HyperHiveError.self) { try await controller.client.table("R") }
        #expect(error?.code == .configuration && transport.requests.isEmpty)
        let configuration = try #require(controller.client.configuration)
        var dumped = ""
        dump(controller, to: &dumped)
        dump(configuration, to: &dumped)
        dump(error, to: &dumped)
        for text in [envelope.description, dumped, "\(controller) \(configuration)", error?.result.text ?? ""] {
            #expect(!text.contains("open-sesame"), "\(text)")
        }
    }

    @Test func `HyperHive 21: credentials that the server repeats are redacted in every form`() async throws {
        let basic = Data("ann:open sesame".utf8).base64EncodedString()
        let transport = ScriptedTransport { request in
            let value = request.fields["Authorization"] ?? ""
            return HTTPResponse(
                status: .badRequest, fields: try HTTPFields(["X-Echo": value]),
                body: Data(#"{"description":"Bad header: \#(value)"}"#.utf8), url: request.url)
        }
        let client = HyperHive(
            HyperHiveConfiguration(host: "http://h", environment: "e", project: "p", device: "d"), transport: transport)
        let error = await #expect(throws: HyperHiveError.self) {
            try await client.signIn("ann", password: "open sesame")
        }
        #expect(error?.message == "Bad header: Basic <redacted>")
        #expect(error?.result.response?.headers["X-Echo"] == "Basic <redacted>")
        #expect(error?.result.text.contains(basic) == false)
        #expect(transport.requests.first?.fields["Authorization"] == "Basic \(basic)")
        let own = await #expect(throws: HyperHiveError.self) {
            try await client.table("R", options: HyperHiveCallOptions(headers: ["Authorization": "Token 0wn-t0ken"]))
        }
        #expect(own?.message == "Bad header: Token <redacted>")
    }

    @Test func `HyperHive 21: a new token is redacted in every part of its response, and so are other secrets`()
        async throws
    {
        let body: JSONValue = [
            "token": "t0ken-of-ann", "refresh_token": "s3cret", "user": ["name": "Ann", "id": "t0ken-of-ann"],
            "code": 0,
        ]
        let transport = ScriptedTransport { request in
            HTTPResponse(
                status: .ok, fields: try HTTPFields(["X-Login": "is t0ken-of-ann", "X-User": "Ann"]),
                body: Data(body.description.utf8), url: request.url)
        }
        let client = HyperHive(
            HyperHiveConfiguration(host: "http://h", environment: "e", project: "p", device: "d"), transport: transport)
        let result = try await client.signIn("ann", password: "open sesame")
        #expect(
            result.raw == [
                "token": "<redacted>", "refresh_token": "<redacted>", "user": ["name": "Ann", "id": "<redacted>"],
                "code": 0,
            ])
        #expect(result.response?.headers == ["X-Login": "is <redacted>", "X-User": "Ann"])
        #expect(!result.text.contains("t0ken") && !result.text.contains("s3cret"))
    }

    @Test func `HyperHive 24: the device is registered, and all calls carry it`() async throws {
        var settings = HyperHiveService.Configuration()
        settings.requiresDeviceID = true
        try await Hive.serving(settings) { hive in
            try await hive.prepare()
            try await hive.sync()
            _ = try await hive.client.transactions(of: "FRUITS")
            #expect(hive.service.devices["device-1"]?.environment == "work env")
            #expect(hive.server.requests.count == 4)
            #expect(hive.server.requests.allSatisfy { $0.fields["X-Device-Id"] == "device-1" })
        }
    }
}
