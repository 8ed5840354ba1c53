import Foundation

/// The source files below some paths, without those of builds and of other packages.
package struct SourceTree {
    /// A file or folder that cannot be read, and why.
    package struct Problem: Error {
        package var path: String
        package var text: String
    }

    /// Source files in a stable order.
    package private(set) var files: [String] = []
    package private(set) var problems: [Problem] = []
    /// Number of folders that were left out.
    package private(set) var skippedFolders = 0

    private var visited: Set<FileIdentity> = []
    private let contents: (String) throws -> [String]

    private struct FileIdentity: Hashable {
        var device: Int
        var number: Int
    }

    /// Folders of builds and of packages that others write.
    static let skippedNames: Set<String> = [
        "build", "Build", "DerivedData", "Pods", "Carthage", "node_modules", "SourcePackages", "xcuserdata",
    ]
    static let skippedExtensions = [".framework", ".xcframework", ".xcodeproj", ".xcworkspace", ".xcassets", ".bundle"]

    /// Finds the files below the paths.
    /// - Parameter contents: Lists a folder; the system's by default.
    /// - Throws: `Problem` for a path that does not exist.
    package init(
        _ paths: [String], contents: @escaping (String) throws -> [String] = FileManager.default.contentsOfDirectory
    ) throws(Problem) {
        self.contents = contents
        for path in paths {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
                throw Problem(path: path, text: "no such file or folder")
            }
            if isFolder.boolValue { readFolder(path) } else { add(path) }
        }
    }

    /// Reads a folder and those within it, with a list of folders instead of recursion: paths may be long.
    private mutating func readFolder(_ root: String) {
        var folders = [root]
        while let folder = folders.popLast() {
            guard isNew(folder) else { continue }
            let names: [String]
            do {
                names = try contents(folder).sorted()
            } catch {
                problems.append(Problem(path: folder, text: "cannot be read: \(error.localizedDescription)"))
                continue
            }
            var below: [String] = []
            for name in names where !name.hasPrefix(".") {
                let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
                var isFolder: ObjCBool = false
                let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
                if exists, isFolder.boolValue {
                    if Self.isSkipped(name) { skippedFolders += 1 } else { below.append(path) }
                } else if Self.language(of: path) != nil {
                    if exists {
                        add(path)
                    } else {
                        problems.append(Problem(path: path, text: "cannot be read: the link has no target"))
                    }
                }
            }
            folders += below.reversed()
        }
    }

    private static func isSkipped(_ name: String) -> Bool {
        skippedNames.contains(name) || skippedExtensions.contains { name.hasSuffix($0) }
    }

    /// The language of a file, if it is one of those that are read.
    static func language(of path: String) -> SourceLanguage? {
        guard let dot = path.lastIndex(of: ".") else { return nil }
        return SourceLanguage(fileExtension: path[path.index(after: dot)...])
    }

    /// The header that belongs to an implementation file by its name.
    static func header(of path: String) -> String? {
        for suffix in [".m", ".mm"] where path.hasSuffix(suffix) { return path.dropLast(suffix.count) + ".h" }
        return nil
    }

    private mutating func add(_ path: String) {
        guard isNew(path) else { return }
        if Self.language(of: path) != nil {
            files.append(path)
        } else {
            problems.append(Problem(path: path, text: "not a Swift or Objective-C source file"))
        }
    }

    /// Whether a file or folder is met for the first time, also through links.
    private mutating func isNew(_ path: String) -> Bool {
        let real = URL(filePath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: real),
            let number = attributes[.systemFileNumber] as? Int, let device = attributes[.systemNumber] as? Int
        else { return true }
        return visited.insert(FileIdentity(device: device, number: number)).inserted
    }

    /// Reads one file.
    static func read(_ path: String) -> SourceText {
        do {
            let size =
                try FileManager.default.attributesOfItem(atPath: URL(filePath: path).resolvingSymlinksInPath().path)[
                    .size] as? Int ?? 0
            guard size <= SourceText.maximumBytes else {
                return .unreadable("too long: \(size) bytes, the limit is \(SourceText.maximumBytes)")
            }
            return SourceText(try Data(contentsOf: URL(filePath: path)))
        } catch {
            return .unreadable("cannot be read: \(error.localizedDescription)")
        }
    }
}
