import Delegation
import Foundation
import HTTPMessages
import HyperHive
import LocalStore
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@Suite struct DatabaseTests {
    private let folder: TemporaryFolder
    private let client: HyperHive
    private let controller: HHFWController

    init() throws {
        folder = try TemporaryFolder()
        client = HyperHive(options: HyperHiveOptions(documentsFolder: folder.url.path))
        controller = HHFWController(client: client)
        controller.log = { _ in }
    }

    private func query(_ sql: String, in path: String = "x.sqlite") throws -> JSONValue {
        try JSONValue(parsing: #require(controller.query(path, query: sql)))
    }

    private func records(_ sql: String) throws -> JSONValue? {
        let result = try query(sql)
        #expect(result["status"] == "ok", "\(sql): \(result)")
        return result["result"]?["database"]?["records"]
    }

    @Test func `HyperHive 4: all spellings of a path reach the same file`() throws {
        let path = folder.path("x.sqlite")
        #expect(controller.openBase(path, key: ""))
        for spelling in [path, "/Documents/x.sqlite", "x.sqlite"] {
            #expect(controller.openBase(spelling, key: ""), "\(spelling)")
            #expect(try query("SELECT 1 AS one", in: spelling)["result"]?["database"]?["records"] == [["one": 1]])
        }
    }

    @Test func `HyperHive 5: a second opening is true, one with another key and a wrong path are false`() throws {
        #expect(controller.openBase("x.sqlite", key: nil))
        _ = try records("CREATE TABLE t (a)")
        #expect(controller.openBase("x.sqlite", key: "") && controller.lastError == nil)
        #expect(try records("SELECT * FROM t") == [])
        #expect(!controller.openBase("x.sqlite", key: "other"))
        #expect(controller.lastError?.code == .database)
        #expect(controller.closeBase("/Documents/x.sqlite") && !controller.closeBase("x.sqlite"))
        #expect(controller.openBase("x.sqlite", key: ""))
        for path in ["", "../x", "a\0b", "missing/x.sqlite"] { #expect(!controller.openBase(path, key: "")) }
    }

    @Test func `HyperHive 5: nil is the default database, which the error of an empty path names`() throws {
        let file = HyperHive.defaultDatabase
        #expect(controller.openBase(nil, key: ""))
        let texts = [
            controller.query(nil, query: "CREATE TABLE t (a)"),
            controller.getTablesName(nil, resourceName: "R", requestParams: ""),
            controller.dropCache(nil, resourceName: "R", requestParams: ""),
        ]
        for text in texts {
            let name = try JSONValue(parsing: #require(text))["result"]?["database"]?["name"]?.string
            #expect(name?.hasSuffix("/" + file) == true, "\(text ?? "")")
        }
        #expect(controller.closeBase(nil) && !controller.closeBase(file))
        #expect(!controller.openBase("", key: "") && controller.lastError?.message.contains(file) == true)
    }

    @Test(arguments: [nil, "/Documents/hyperhive.sqlite", "x.sqlite"])
    func `HyperHive 5: the documents folder is created`(path: String?) throws {
        let missing = folder.path("home/Documents")
        let controller = HHFWController(client: HyperHive(options: HyperHiveOptions(documentsFolder: missing)))
        // Without a path by the first use of the default database.
        #expect(path.map { controller.openBase($0, key: "") } ?? controller.saveParam("1", forKey: "a"))
        let name = path ?? HyperHive.defaultDatabase
        for spelling in [name, "/Documents/" + (name.split(separator: "/").last ?? "")] {
            #expect(try JSONValue(parsing: #require(controller.query(spelling, query: "SELECT 1")))["status"] == "ok")
        }
        // Another folder is the app's.
        #expect(!controller.openBase(folder.path("other") + "/x.sqlite", key: ""))
        #expect(try folder.names == ["home"])
    }

    @Test func `HyperHive 5: each false leaves its reason, in a property, in the log, and for later calls`() throws {
        try Data().write(to: folder.url.appending(path: "file"))
        let lines = Mutex<[String]>([])
        let options = HyperHiveOptions(documentsFolder: folder.path("file/Documents"))
        let controller = HHFWController(client: HyperHive(options: options))
        controller.log = { line in lines.withLock { $0.append(line) } }
        #expect(!controller.openBase("x.sqlite", key: "a secret key"))
        #expect(!controller.closeBase("x.sqlite"))
        #expect(!controller.saveParam("a secret value", forKey: "a"))
        let reason = "Documents folder \(folder.path("file/Documents")) does not exist and cannot be created"
        let logged = lines.withLock { $0 }
        #expect(logged.count == 3 && logged.allSatisfy { $0.contains(reason) && !$0.contains("secret") }, "\(logged)")
        #expect(controller.lastError?.message.contains(reason) == true)
        let query = try JSONValue(parsing: #require(controller.query("x.sqlite", query: "SELECT 1")))
        #expect(query["errors"]?[0]?["code"] == 14)
        #expect(query["errors"]?[0]?["description"]?.string?.contains(reason) == true)
    }

    /// The calls that open the default database by themselves.
    private static let automaticCalls: [@Sendable (HHFWController) async -> Bool] = [
        { $0.saveParam("secret", forKey: "a") },
        { controller in
            controller.query(HyperHive.defaultDatabase, query: "CREATE TABLE t (a)")?.contains("\"ok\"") == true
        },
        { controller in await result { controller.resources(nil, handler: $0) }["status"] == "ok" },
        { controller in
            let params = DeltaStreamCallParams(defaultDb: ())
            return await result {
                controller.deltaStreamAsync("R", withCache: true, deltaStreamCallParams: params, handler: $0)
            }["status"] == "ok"
        },
    ]

    @Test(.needsSlot, .enabled(if: SQLiteLibrary.system.isAvailable))
    func `HyperHive 5: after an opening with a key has failed, no call creates the database without one`() async throws
    {
        client.configure(HyperHiveConfiguration(host: "http://127.0.0.1:1", environment: "", project: "", device: ""))
        controller.delivery = .inline
        controller.log = { _ in }
        #expect(!controller.openDefaultBase("secret key"))
        for call in Self.automaticCalls { #expect(await !call(controller)) }
        #expect(try folder.names == [])
        let query = try query("SELECT 1", in: HyperHive.defaultDatabase)["errors"]?[0]
        #expect(query?["code"] == 14)
        let description = query?["description"]?.string ?? ""
        #expect(description.contains("opening it with a key failed: Encryption unavailable"), "\(description)")
        // Until the app opens it without a key.
        #expect(controller.openDefaultBase(nil) && controller.saveParam("1", forKey: "a"))
        #expect(controller.closeDefaultBase() && controller.saveParam("1", forKey: "a"))
    }

    @Test func `HyperHive 5: a database that was open with a key is not opened without one by a call`() throws {
        var options = HyperHiveOptions(documentsFolder: folder.url.path)
        let openings = Mutex(0)
        options.openStore = { _, key in
            openings.withLock { $0 += 1 }
            return MemoryStore()
        }
        let controller = HHFWController(client: HyperHive(options: options))
        controller.log = { _ in }
        #expect(controller.openDefaultBase("key") && controller.openDefaultBase("key"))
        #expect(!controller.openDefaultBase("") && controller.saveParam("1", forKey: "a"))
        #expect(controller.closeDefaultBase() && !controller.saveParam("1", forKey: "a"))
        #expect(openings.withLock { $0 } == 1)
        #expect(controller.openDefaultBase("key") && controller.saveParam("1", forKey: "a"))
    }

    @Test(.enabled(if: SQLiteLibrary.system.isAvailable))
    func `HyperHive 5: without a cipher a key is false, and no file is created`() throws {
        #expect(!controller.openBase("locked.sqlite", key: "secret key"))
        #expect(try folder.names == [])
        #expect(controller.lastError?.description.contains("secret key") == false)
    }

    @Test func `HyperHive 5: a wrong key is false, and the right one opens the database then`() throws {
        var options = HyperHiveOptions(documentsFolder: folder.url.path)
        options.openStore = { _, key in
            guard key == "right key" else { throw StoreError(.wrongKey, "The key does not open the file.") }
            return MemoryStore()
        }
        let controller = HHFWController(client: HyperHive(options: options))
        #expect(!controller.openBase("x.sqlite", key: "other key"))
        let error = try #require(controller.lastError)
        #expect(error.code == .database && error.result.errors.first?.code == 26)
        #expect(!error.result.text.contains("other key"))
        #expect(controller.openBase("x.sqlite", key: "right key") && controller.closeBase("/Documents/x.sqlite"))
    }

    @Test(.enabled(if: SQLiteLibrary.system.isAvailable))
    func `HyperHive 19: the SQL of the vendor's apps`() throws {
        #expect(controller.openBase("x.sqlite", key: ""))
        for sql in [
            "CREATE TABLE IF NOT EXISTS `fruit` (`id` BIGINT PRIMARY KEY, `name` TEXT, `price` DOUBLE)",
            "INSERT OR REPLACE INTO `fruit` VALUES (1, 'Apple', 0.5), (2, 'Pear', 1), (3, NULL, NULL)",
            "UPDATE `fruit` SET `name` = \"Plum\" WHERE `name` = \"Pear\"", "ALTER TABLE `fruit` ADD `note` TEXT",
        ] { _ = try records(sql) }
        #expect(try records("SELECT count(*) FROM `fruit`") == [["count(*)": 3]])
        #expect(try records("SELECT `name` FROM `fruit` WHERE `name` LIKE \"P%\"") == [["name": "Plum"]])
        #expect(
            try records("SELECT * FROM `fruit` ORDER BY `id` LIMIT 1 OFFSET 2")
                == [["id": 3, "name": nil, "price": nil, "note": nil]])
        #expect(try records("SELECT name FROM sqlite_master WHERE name LIKE 'fru%'") == [["name": "fruit"]])
        let deletion = try query("DELETE FROM `fruit` WHERE `id` IN (1, 2)")
        #expect(deletion["result"]?["database"]?["changes"] == ["updated": 2])
        #expect(deletion["result"]?["database"]?["records"] == [])
        #expect(
            try query("DELETE FROM fruit WHERE id = 3 RETURNING id")["result"]?["database"]?["records"] == [["id": 3]])
    }

    @Test(
        .enabled(if: SQLiteLibrary.system.isAvailable),
        arguments: [
            ("-- update of the list\nSELECT * FROM t", [["a": 1]], nil),
            ("/* Delete? no */ SELECT * FROM t", [["a": 1]], nil), ("VALUES (1)", [["column1": 1]], nil),
            ("WITH s AS (SELECT 2 AS b) SELECT * FROM s", [["b": 2]], nil),
            ("-- new\nINSERT INTO t VALUES (2)", [], ["updated": 1]),
            ("INSERT INTO t VALUES ('returning')", [], ["updated": 1]),
            ("WITH s AS (SELECT 1) DELETE FROM t WHERE a IN (SELECT * FROM s)", [], ["updated": 1]),
            ("WITH s AS (SELECT 1) DELETE FROM t WHERE a IN (SELECT * FROM s) RETURNING a", [["a": 1]], nil),
        ] as [(String, JSONValue, JSONValue?)])
    func `HyperHive 19: comments and WITH before a statement do not hide its rows or its changes`(
        sql: String, rows: JSONValue, changes: JSONValue?
    ) throws {
        #expect(controller.openBase("x.sqlite", key: ""))
        _ = try records("CREATE TABLE t (a)")
        _ = try records("INSERT INTO t VALUES (1)")
        let result = try query(sql)
        #expect(result["status"] == "ok" && result["result"]?["database"]?["records"] == rows, "\(result)")
        #expect(result["result"]?["database"]?["changes"] == changes)
    }

    @Test func `HyperHive 16: database errors are in the envelope`() throws {
        #expect(controller.openBase("x.sqlite", key: ""))
        let result = try query("SELECT * FROM x")
        #expect(result["status"] == "error" && result["result"] == nil)
        #expect(result["errors"]?[0]?["source"] == "SQLite" && result["errors"]?[0]?["code"] == 1)
        #expect(result["errors"]?[0]?["description"]?.string?.contains("no such table: x") == true)
        #expect(result["errors"]?[0]?["descriptions"]?[0] == result["errors"]?[0]?["description"])
        let source = result["request"]?["source"]?["database"]
        #expect(source?["statements"] == ["SELECT * FROM x"])
        #expect(source?["name"]?.string?.hasSuffix("/x.sqlite") == true)
        _ = try records("CREATE TABLE t (a)")
        let column = try query("INSERT INTO t (b) VALUES (1)")["errors"]?[0]
        #expect(column?["source"] == "SQLite" && column?["code"] == 1)
        let text = SQLiteLibrary.system.isAvailable ? "has no column named b" : "no such column"
        #expect(column?["description"]?.string?.contains(text) == true, "\(column ?? .null)")
        #expect(try query("SELECT 1", in: "other.sqlite")["errors"]?[0]?["code"] == 14)
        for sql in ["", "SELEC 1", "BEGIN; SELECT 1; COMMIT"] { #expect(try query(sql)["status"] == "error") }
    }

    @Test func `parameters are kept in the default database, which is opened at its first use`() throws {
        #expect(controller.paramForKey("a") == nil)
        #expect(controller.saveParam("1", forKey: "a") && controller.saveParam("2", forKey: "b"))
        #expect(controller.saveParam("3", forKey: "a"))
        #expect(controller.paramForKey("a") == "3")
        #expect(controller.closeDefaultBase() && controller.openDefaultBase(""))
        #expect(controller.paramForKey("a") == "3" && controller.paramForKey("b") == "2")
        #expect(controller.saveParam(nil, forKey: "a") && controller.paramForKey("a") == nil)
        #expect(!controller.saveParam("1", forKey: "a", dataBasePath: "other.sqlite"))
        #expect(try folder.names.contains { $0.hasPrefix(HyperHive.defaultDatabase) })
    }

    @Test func `rows are decoded and observed by the store itself`() throws {
        struct Fruit: Decodable, Equatable { let id: Int, name: String }
        let store = try client.openDatabase(":memory:")
        try store.execute("CREATE TABLE fruit (id BIGINT, name TEXT)", [])
        try store.execute("INSERT INTO fruit VALUES (1, 'Apple')", [])
        #expect(
            try client.database(at: ":memory:").rows(as: Fruit.self, "SELECT * FROM fruit") == [
                .init(id: 1, name: "Apple")
            ])
    }

    @Test func `stores are opened by the app's function`() throws {
        var options = HyperHiveOptions(documentsFolder: folder.url.path)
        options.openStore = { path, key in
            #expect(path.name == "x.sqlite" && key == "k")
            return MemoryStore()
        }
        #expect(HHFWController(client: HyperHive(options: options)).openBase("x.sqlite", key: "k"))
        #expect(try folder.names == [])
    }
}
