import Foundation
import SystemLibraries
import Testing

@Suite struct UserFolderTests {
    @Test func `an Apple TV has the caches folder only`() {
        #expect(UserFolder.documents.directory(isTelevision: false) == .documentDirectory)
        #expect(UserFolder.applicationSupport.directory(isTelevision: false) == .applicationSupportDirectory)
        #expect(UserFolder.caches.directory(isTelevision: false) == .cachesDirectory)
        for folder in UserFolder.allCases { #expect(folder.directory(isTelevision: true) == .cachesDirectory) }
    }

    @Test func `each folder is the user's`() {
        for folder in UserFolder.allCases {
            let urls = FileManager.default.urls(for: folder.directory(isTelevision: false), in: .userDomainMask)
            #expect(folder.url == urls.first && folder.url?.isFileURL == true)
        }
    }
}
