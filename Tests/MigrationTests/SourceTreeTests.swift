import Foundation
import Testing

@testable import PatchbayMigration

@Suite struct SourceTreeTests {
    /// Runs with a folder of its own, which is removed afterwards.
    private func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "migration-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder.path)
    }

    private func write(_ data: Data, _ path: String) throws {
        let file = URL(filePath: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
    }

    @Test func `builds, packages of others and other files are left out`() throws {
        try withFolder { folder in
            for name in [
                "A.swift", "b/B.m", "b/c/C.mm", "b/D.h", "E.txt", "Pods/P.swift", "Carthage/Q.swift", ".build/R.swift",
                "build/S.swift", "DerivedData/T.swift", "X.framework/Headers/X.h",
            ] { try write(Data(), "\(folder)/\(name)") }
            let tree = try SourceTree([folder])
            #expect(tree.files == ["A.swift", "b/B.m", "b/D.h", "b/c/C.mm"].map { "\(folder)/\($0)" })
            #expect(tree.skippedFolders == 5)
            #expect(try SourceTree(["\(folder)/Pods"]).files == ["\(folder)/Pods/P.swift"])
        }
    }

    @Test func `a loop of links ends, and a link without a target is a problem`() throws {
        try withFolder { folder in
            try write(Data(), "\(folder)/a/A.swift")
            try FileManager.default.createSymbolicLink(atPath: "\(folder)/a/loop", withDestinationPath: folder)
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/B.swift", withDestinationPath: "\(folder)/none")
            let tree = try SourceTree([folder, folder])
            #expect(tree.files == ["\(folder)/a/A.swift"])
            #expect(tree.problems.map(\.path) == ["\(folder)/B.swift"])
        }
    }

    @Test func `an unreadable folder is a problem, and the others are read`() throws {
        struct Denied: LocalizedError { var errorDescription: String? { "permission denied" } }
        try withFolder { folder in
            try write(Data(), "\(folder)/a/A.swift")
            try write(Data(), "\(folder)/b/B.swift")
            let tree = try SourceTree([folder]) { path in
                guard !path.hasSuffix("/a") else { throw Denied() }
                return try FileManager.default.contentsOfDirectory(atPath: path)
            }
            #expect(tree.files == ["\(folder)/b/B.swift"])
            #expect(tree.problems.map(\.text) == ["cannot be read: permission denied"])
        }
    }

    @Test func `a path that does not exist is an error`() {
        #expect(throws: SourceTree.Problem.self) { try SourceTree(["/no/such/folder"]) }
    }

    @Test func `text in UTF-8 and UTF-16 is read, other bytes are not`() throws {
        let code = "WLClient.sharedInstance()"
        func read(_ data: Data) throws -> String {
            try withFolder { folder in
                try write(data, "\(folder)/A.swift")
                switch SourceTree.read("\(folder)/A.swift") {
                case .text(let bytes, let problem):
                    return String(decoding: bytes, as: UTF8.self) + (problem.map { " " + $0.text } ?? "")
                case .unreadable(let text): return text
                }
            }
        }
        let bigEndian = code.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        let littleEndian = code.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        #expect(try read(Data([0xEF, 0xBB, 0xBF] + code.utf8)) == code)
        #expect(try read(Data([0xFE, 0xFF] + bigEndian)) == code)
        #expect(try read(Data([0xFF, 0xFE] + littleEndian)) == code)
        #expect(try read(Data(littleEndian)) == code)
        #expect(try read(Data(bigEndian + [0])) == code)
        #expect(try read(Data(code.utf8 + [0xFF])) == "\(code)\u{FFFD} invalid UTF-8; read as far as possible")
        #expect(try read(Data("MZ".utf8 + [0x90, 0, 3, 0])) == "not text: it contains zero bytes")
        #expect(try read(Data()) == "")
    }

    @Test func `a file of 100 MB is listed and not read`() throws {
        try withFolder { folder in
            let path = "\(folder)/A.swift"
            try write(Data(), path)
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            try file.truncate(atOffset: 100_000_000)
            try file.close()
            try write(Data("let a = WLClient.sharedInstance()".utf8), "\(folder)/B.swift")
            let report = Report(try SourceTree([folder]))
            #expect(report.problems.map(\.problem.text) == ["too long: 100000000 bytes, the limit is 8388608"])
            #expect(report.findings.map(\.name) == ["WLClient", "WLClient.sharedInstance()"])
        }
    }
}
