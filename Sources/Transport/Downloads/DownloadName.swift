import Foundation
import HTTPMessages

/// The name of a downloaded file in a folder.
enum DownloadName {
    /// The longest name, in bytes of UTF-8, with room for a number.
    private static let maximumBytes = 200

    /// The name that the server gives.
    /// - Parameters:
    ///   - disposition: the `Content-Disposition`.
    ///   - url: the URL of the last response.
    static func name(_ disposition: String?, at url: URL) -> String {
        let stated = disposition.flatMap { ContentDisposition(parsing: $0) }?.fileName
        // By the rule of `Content-Disposition`: a path may hold an encoded slash.
        let last = url.lastPathComponent
        let ofURL = ContentDisposition(parsing: ContentDisposition.attachment(fileName: last).description)?.fileName
        let name = stated ?? ofURL ?? ""
        // Not hidden.
        let visible = name.drop { $0 == "." }
        return visible.isEmpty ? "download" : withoutOwnSuffixes(shortened(String(visible)))
    }

    /// The name, unless it is that of a file that a download of another file would continue.
    private static func withoutOwnSuffixes(_ name: String) -> String {
        var name = name
        while let suffix = PartialFile.suffixes.first(where: { name.lowercased().hasSuffix($0) }) {
            name.removeLast(suffix.count)
        }
        return name
    }

    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > maximumBytes else { return name }
        let (stem, suffix) = split(name)
        let ending = suffix.utf8.count <= 20 ? suffix : ""
        var short = stem[...]
        while short.utf8.count + ending.utf8.count > maximumBytes { short.removeLast() }
        return short + ending
    }

    /// The name without its extension, and the extension with its dot.
    private static func split(_ name: String) -> (stem: String, suffix: String) {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return (name, "") }
        return (String(name[..<dot]), String(name[dot...]))
    }

    /// Moves a file into a folder, beside the files that exist.
    /// - Throws: ``DownloadError`` (`fileFailure`).
    static func move(_ file: URL, named name: String, to folder: URL) throws(DownloadError) -> URL {
        let (stem, suffix) = split(name)
        for number in 1...10_000 {
            let url = folder.appending(
                path: number == 1 ? name : "\(stem) \(number)\(suffix)", directoryHint: .notDirectory)
            do {
                // A link fails if the name exists, and a rename would replace that file.
                try FileManager.default.linkItem(at: file, to: url)
            } catch CocoaError.fileWriteFileExists {
                continue
            } catch {
                // A file system without links; or the file is gone, which another name would not change.
                let files = FileManager.default
                if files.fileExists(atPath: url.path), files.fileExists(atPath: file.path) { continue }
                do { try FileManager.default.moveItem(at: file, to: url) } catch {
                    throw DownloadError(
                        .fileFailure,
                        "The downloaded file cannot be moved to its name \(url.lastPathComponent.debugDescription) in the folder; "
                            + "check the folder's permissions.",
                        underlying: error)
                }
                return url
            }
            try? FileManager.default.removeItem(at: file)
            return url
        }
        throw DownloadError(.fileFailure, "The folder has ten thousand files of that name; remove some.")
    }
}
