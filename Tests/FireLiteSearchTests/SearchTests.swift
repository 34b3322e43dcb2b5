import FireLiteSearch
import Testing
