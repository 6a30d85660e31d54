export * from '@postshelf/harness/answers';
