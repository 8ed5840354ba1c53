import Delegation
import Dispatch
import Foundation
import HTTPMessages
import HyperHive
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport
import VendorServices

@Suite(.needsSlot) struct ControllerTests {
    private func signedIn(_ hive: Hive) async throws {
        let signIn = await result { hive.controller.auth("ann", password: "open sesame", handler: $0) }
        try #require(signIn["status"] == "ok")
        #expect(hive.controller.isAuthorized)
    }

    @Test func `HyperHive 2: the whole flow by the vendor's names`() async throws {
        try await Hive.serving { hive in
            let controller = hive.controller
            try await signedIn(hive)
            let path = hive.folder.path("database.sqlite")
            #expect(controller.openBase(path, key: ""))
            let resources = await result { controller.resources("database.sqlite", handler: $0) }
            #expect(resources["status"] == "ok" && resources["result"]?["database"]?["name"]?.string?.isEmpty == false)
            let delta = try await onThread {
                let params = DeltaStreamCallParams(defaultProperty: ())
                params?.dataBasePath = path
                let result = Mutex(JSONValue.null)
                controller.deltaStream("FRUITS", deltaStreamCallParams: params) { object in
                    result.withLock { $0 = envelope(object) }
                }
                return result.withLock { $0 }
            }
            #expect(delta["status"] == "ok" && delta["http"]?["status"] == 200)
            #expect(delta["request"]?["type"] == "deltaStream" && delta["request"]?["resource"] == ["name": "FRUITS"])
            #expect(delta["result"]?["database"]?["changes"] == ["updated": 4])
            let names = controller.getTablesName(
                "/Documents/database.sqlite", resourceName: "FRUITS", requestParams: "", tableName: "output_table")
            let records = try JSONValue(parsing: #require(names))["result"]?["database"]?["records"]
            #expect(records == [["name": "FRUITS_output_table"]])
            let rows = controller.query(
                "/Documents/database.sqlite", query: "SELECT name FROM `FRUITS_output_table` WHERE id = 1")
            #expect(
                try JSONValue(parsing: #require(rows))["result"]?["database"]?["records"] == [["name": "Apple"]])
            let all = controller.getTablesName(
                "database.sqlite", resourceName: "FRUITS", requestParams: nil)
            #expect(all?.contains("FRUITS_output_table") == true)
            let dropped = try #require(
                controller.dropCache("database.sqlite", resourceName: "FRUITS", requestParams: ""))
            #expect(try JSONValue(parsing: dropped)["result"]?["database"]?["records"] == records)
        }
    }

    @Test func `sign-ins, sign-outs and new credentials have effect in the order of the calls`() async throws {
        var settings = HyperHiveService.Configuration()
        settings.users["bob"] = "b"
        try await Hive.serving(settings) { hive in
            let controller = hive.controller
            // Keeps a sign-in from ending before the next call.
            let gate = Gate()
            for _ in 0..<5 {
                gate.close()
                hive.service.inject(.hold(gate), at: .authentication)
                let signIn = await result {
                    controller.auth("ann", password: "open sesame", handler: $0)
                    controller.unAuth()
                    gate.open()
                }
                // It has had no effect, and says so.
                #expect(signIn["status"] != "ok" && !controller.isAuthorized)
                let ended = Watched(0)
                for (login, password) in [("ann", "open sesame"), ("bob", "b")] {
                    controller.auth(login, password: password) { _ in ended.update { $0 += 1 } }
                }
                _ = try await ended.wait { $0 == 2 }
                let echo = await result {
                    controller.web("echo", webCallParams: nil, handler: $0)
                    controller.unAuth()
                }
                #expect(echo["request"]?["credentials"]?["username"] == "bob")
                #expect(hive.sent("Authorization").last??.hasPrefix("Bearer ") == true)
                let earlier = try #require(hive.client.configuration)
                let port = try RefusedPort()
                gate.close()
                hive.service.inject(.hold(gate), at: .authentication)
                let elsewhere = await result {
                    controller.auth("ann", password: "open sesame", handler: $0)
                    controller.initWithCredentials(
                        nil, host: port.url.absoluteString, environment: "e", project: "p", device: nil)
                    gate.open()
                }
                #expect(elsewhere["status"] != "ok" && !controller.isAuthorized)
                hive.client.configure(earlier)
            }
        }
    }

    @Test func `HyperHive 17: a blocking call's handler runs once, before it returns, on its thread`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            let controller = hive.controller
            controller.delivery = .main
            let events = try await onThread {
                let events = Mutex<[String]>([])
                let thread = Thread.current
                let handler: (String) -> (Any?) -> Void = { name in
                    { object in
                        let status = envelope(object)["status"]?.string ?? ""
                        events.withLock { $0.append("\(name) \(status) \(Thread.current === thread)") }
                    }
                }
                let delta = DeltaStreamCallParams()
                delta.dataBasePath = Hive.database
                let id = UUID().uuidString
                controller.deltaStream("FRUITS", deltaStreamCallParams: delta, handler: handler("delta"))
                events.withLock { $0.append("after delta") }
                let stream = RequestCallParams()
                stream.dataBasePath = Hive.database
                controller.tableStream(
                    "FRUITS", transactionID: nil, requestCallParams: stream, handler: handler("tableStream"))
                controller.table("PRICES", transactionID: id, tableCallParams: nil, handler: handler("table"))
                controller.retryTable("PRICES", transactionID: id, tableCallParams: nil, handler: handler("retry"))
                controller.retryTable("PRICES", transactionID: nil, tableCallParams: nil, handler: handler("no ID"))
                controller.deltaStream("NOTHING", deltaStreamCallParams: delta, handler: handler("unknown"))
                controller.deltaStream("FRUITS", deltaStreamCallParams: delta, handler: nil)
                return events.withLock { $0 }
            }
            #expect(
                events == [
                    "delta ok true", "after delta", "tableStream ok true", "table ok true", "retry ok true",
                    "no ID error true", "unknown error true",
                ])
        }
    }

    @Test func `HyperHive 17: an asynchronous call returns before its handler, which runs once`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            let gate = Gate()
            hive.service.inject(.hold(gate))
            let once = ExactlyOnce<JSONValue>("deltaStreamAsync")
            let params = DeltaStreamCallParams(defaultDb: ())
            #expect(params?.dataBasePath == HyperHive.defaultDatabase)
            params?.dataBasePath = Hive.database
            let call = hive.controller.deltaStreamAsync("FRUITS", withCache: true, deltaStreamCallParams: params) {
                once.succeed(envelope($0))
            }
            // The parameters were copied.
            params?.dataBasePath = "other.sqlite"
            try await gate.waitForWaiters(1)
            #expect(once.count == 0)
            gate.open()
            await call.wait()
            call.cancel()
            let outcome = try await once.outcome
            guard case .success(let envelope) = outcome else { throw CancellationError() }
            #expect(envelope["status"] == "ok")
            try once.check()
        }
    }

    @Test func `handlers of asynchronous calls run on the main queue by default`() async throws {
        let controller = HHFWController(client: HyperHive(transport: ScriptedTransport([])))
        let key = DispatchSpecificKey<String>()
        DispatchQueue.main.setSpecific(key: key, value: "main")
        let queue = await withCheckedContinuation { done in
            controller.auth("a", password: "b") { _ in
                done.resume(returning: DispatchQueue.getSpecific(key: key))
            }
        }
        #expect(queue == "main")
    }

    @Test func `HyperHive 16: a cancelled call has the status cancel`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            let gate = Gate()
            hive.service.inject(.hold(gate, afterBytes: 10))
            let once = ExactlyOnce<JSONValue>("table")
            let call = hive.controller.tableAsync("FRUITS", transactionID: "", tableCallParams: nil) {
                once.succeed(envelope($0))
            }
            try await gate.waitForWaiters(1)
            call.cancel()
            guard case .success(let envelope) = try await once.outcome else { throw CancellationError() }
            #expect(envelope["status"] == "cancel" && envelope["errors"] == [] && envelope["result"] == nil)
            gate.open()
            await call.wait()
            try once.check()
        }
    }

    @Test func `HyperHive 10: 304 is an error with the status in http`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            let params = DeltaStreamCallParams()
            params.dataBasePath = Hive.database
            var statuses: [[JSONValue?]] = []
            for isCached in [true, true, false] {
                let result = await result {
                    hive.controller.deltaStreamAsync(
                        "FRUITS", withCache: isCached, deltaStreamCallParams: params, handler: $0)
                }
                statuses.append([result["status"], result["http"]?["status"], result["errors"]?[0]?["code"]])
            }
            #expect(statuses == [["ok", 200, nil], ["error", 304, 304], ["ok", 200, nil]])
        }
    }

    @Test func `HyperHive 16: unAuth, expired tokens and new credentials end the session`() async throws {
        try await Hive.serving { hive in
            let controller = hive.controller
            try await signedIn(hive)
            hive.service.expireTokens()
            let expired = await result { controller.request("PRICES", requestCallParams: nil, handler: $0) }
            #expect(expired["status"] == "error" && expired["http"]?["status"] == 401)
            #expect(expired["errors"]?[0]?["source"] == "Server" && expired["errors"]?[0]?["code"] == 401)
            #expect(!controller.isAuthorized)
            try await signedIn(hive)
            #expect(await result { controller.unAuth(handler: $0) }["status"] == "ok" && !controller.isAuthorized)
            controller.unAuth()
            try await signedIn(hive)
            controller.initWithCredentials(
                nil, host: "http://127.0.0.1:\(hive.server.port)", environment: "e", project: "p", device: "device-1")
            #expect(!controller.isAuthorized && controller.client.configuration?.apiVersion == "v1")
            try await signedIn(hive)
        }
    }

    @Test func `HyperHive 22: transactions by the vendor's names`() async throws {
        try await Hive.serving { hive in
            let controller = hive.controller
            try await signedIn(hive)
            let id = UUID().uuidString
            let table = await result {
                controller.tableAsync("PRICES", transactionID: id, tableCallParams: nil, handler: $0)
            }
            #expect(table["request"]?["transactionId"] == .string(id))
            let list = await result { controller.getAllTransactionResourceName("PRICES", handler: $0) }
            #expect(list["result"]?["raw"]?[0]?["uuid"] == .string(id.lowercased()))
            let stored = await result { controller.getTransaction(id, resourceName: "PRICES", handler: $0) }
            #expect(stored["status"] == "ok" && stored["result"]?["raw"] == table["result"]?["raw"])
            let deleted = await result { controller.deleteTransaction(id, resourceName: "PRICES", handler: $0) }
            #expect(deleted["status"] == "ok" && deleted["http"]?["status"] == 204)
            let gone = await result { controller.getTransaction(id, resourceName: "PRICES", handler: $0) }
            #expect(gone["status"] == "error" && gone["errors"]?[0]?["code"] == 404)
        }
    }

    @Test func `web and request send data, headers and args`() async throws {
        let transport = ScriptedTransport([], then: .json(["a": 1]))
        let configuration = HyperHiveConfiguration(host: "http://h", environment: "e", project: "p", device: "d")
        let controller = HHFWController(client: HyperHive(configuration, transport: transport))
        controller.delivery = .inline
        let web = WebCallParams()
        web.data = "any text"
        web.args = ["q": "ä"]
        web.headers = ["X-Own": "1"]
        let raw = await result { controller.web("R", webCallParams: web, handler: $0) }["result"]?["raw"]
        #expect(raw == ["a": 1])
        let request = RequestCallParams()
        request.data = #"{"IV":1}"#
        _ = await result { controller.request("R", requestCallParams: request, handler: $0) }
        let sent = transport.requests
        #expect(sent[0].url.query() == "q=%C3%A4" && sent[0].fields["X-Own"] == "1")
        try await #expect(sent[0].body.collect() == Data("any text".utf8))
        try await #expect(sent[1].body.collect() == Data(#"{"IV":1}"#.utf8))
    }

    @Test func `retries of the controller, and of one call`() async throws {
        let transport = ScriptedTransport([], then: .failure(.connectionLost))
        let configuration = HyperHiveConfiguration(host: "http://h", environment: "e", project: "p", device: "d")
        let controller = HHFWController(client: HyperHive(configuration, transport: transport))
        controller.delivery = .inline
        controller.setRetryCount(2)
        let params = RequestCallParams()
        #expect(params.retryCount == 0 && params.retryIntervalSec == 0)
        let first = await result {
            controller.request("R", requestCallParams: params, handler: $0)
            // For later calls.
            controller.setRetryCount(7)
        }
        #expect(first["retryCount"] == 2 && first["request"]?["retryCount"] == 2)
        params.retryCount = 0
        let second = await result { controller.request("R", requestCallParams: params, handler: $0) }
        #expect(second["retryCount"] == 0 && transport.requests.count == 4)
    }

    @Test func `HyperHive 15: the interval of the controller, and that of one call`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            hive.controller.setRetryCount(1)
            hive.controller.setRetryIntervalSec(10)
            let params = DeltaStreamCallParams()
            params.dataBasePath = Hive.database
            var retries: [Duration] = []
            for seconds in [10, 3] {
                hive.service.inject(.status(.serviceUnavailable))
                async let envelope = result {
                    hive.controller.deltaStreamAsync(
                        "FRUITS", withCache: false, deltaStreamCallParams: params, handler: $0)
                }
                retries += try await hive.clock.wait { !$0.isEmpty }.map(\.offset)
                await hive.clock.advance(by: .seconds(20))
                #expect(await envelope["request"]?["retryIntervalSec"] == .integer(Int64(seconds)))
                params.retryIntervalSec = 3
            }
            #expect(retries == [.seconds(10), .seconds(23)])
        }
    }

    @Test func `HyperHive 2: tableStream and tableStreamAsync send transaction ID, headers and args`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            let params = RequestCallParams()
            params.dataBasePath = Hive.database
            params.headers = ["X-Own": "1"]
            params.args = ["a": "1"]
            let ids = [UUID().uuidString, UUID().uuidString]
            let stream = try await onThread {
                let params = RequestCallParams()
                params.dataBasePath = Hive.database
                let result = Mutex(JSONValue.null)
                hive.controller.tableStream("FRUITS", transactionID: ids[0], requestCallParams: params) { object in
                    result.withLock { $0 = envelope(object) }
                }
                return result.withLock { $0 }
            }
            let later = await result {
                hive.controller.tableStreamAsync(
                    "FRUITS", transactionID: ids[1], requestCallParams: params, handler: $0)
            }
            for envelope in [stream, later] {
                #expect(envelope["status"] == "ok" && envelope["request"]?["type"] == "tableStream")
                #expect(envelope["result"]?["database"]?["changes"] == ["updated": 4])
            }
            #expect(hive.sent("X-Transaction-ID") == ids && hive.sent("X-Own") == [nil, "1"])
            // All rows.
            #expect(hive.sent("X-Delta") == [nil, nil] && hive.sent("If-None-Match") == [nil, nil])
            #expect(hive.server.requests.last?.target == "/api/v1/rpc/FRUITS/?a=1")
        }
    }

    @Test func `parameters without a database are an error of a load`() async throws {
        let configuration = HyperHiveConfiguration(host: "http://h", environment: "e", project: "p", device: "d")
        let controller = HHFWController(client: HyperHive(configuration, transport: ScriptedTransport([])))
        controller.delivery = .inline
        let params = DeltaStreamCallParams(defaultProperty: ())
        let result = await result {
            controller.deltaStreamAsync("R", withCache: true, deltaStreamCallParams: params, handler: $0)
        }
        #expect(result["status"] == "error" && result["errors"]?[0]?["source"] == "SQLite")
        #expect(result["errors"]?[0]?["description"]?.string?.contains("dataBasePath") == true)
    }
}
