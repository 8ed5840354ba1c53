package import Foundation

/// A folder of the user for the files of an app.
package enum UserFolder: CaseIterable, Sendable {
    case documents
    case applicationSupport
    case caches

    /// The folder, which may not exist yet; nil if the system has none.
    package var url: URL? {
        #if os(tvOS)
            let isTelevision = true
        #else
            let isTelevision = false
        #endif
        return FileManager.default.urls(for: directory(isTelevision: isTelevision), in: .userDomainMask).first
    }

    /// An Apple TV lets apps write to the caches folder only, and empties it when it needs space. Its simulator does
    /// not show that.
    package func directory(isTelevision: Bool) -> FileManager.SearchPathDirectory {
        if isTelevision { return .cachesDirectory }
        return switch self {
        case .documents: .documentDirectory
        case .applicationSupport: .applicationSupportDirectory
        case .caches: .cachesDirectory
        }
    }
}
